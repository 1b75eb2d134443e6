import {
  createBrowserMemory,
  describeUpload,
  replacedBy,
  type UnfinishedUpload,
  type Visibility,
} from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'
import type { Sending } from './sending.ts'

const memory = createBrowserMemory()

/** Upload of an earlier visit, which continues when its file is chosen again. */
export interface Unfinished {
  /** Identity in this browser's storage. */
  what: string
  upload: UnfinishedUpload
}

/**
 * Uploads a large file. Continues after a broken connection or a restart of the server, and after a reload when the
 * file is chosen again.
 *
 * @throws {HoldfastError}
 */
export async function sendLarge(
  file: File,
  { folder, visibility, replaces: [replaces], signal, onProgress, onRetry }: Omit<Sending, 'files'>,
): Promise<void> {
  await client.files.uploadResumable(
    { name: file.name, content: file },
    {
      ...(replaces === undefined ? { folder, ...(visibility && { visibility }) } : { replaces }),
      memory,
      signal,
      onRetry,
      onProgress: ({ loaded }) => onProgress(loaded),
    },
  )
}

/** Returns the unfinished uploads of this browser. @throws {HoldfastError} */
export async function findUnfinished(): Promise<Unfinished[]> {
  const found = await Promise.all(
    memory.list().map(async ({ what, id }) => {
      const upload = await lookUp(id)
      if (upload && upload.offset < upload.length) return [{ what, upload }]
      memory.forget(what)
      return []
    }),
  )
  return found.flat()
}

async function lookUp(id: string): Promise<UnfinishedUpload | undefined> {
  try {
    return await client.uploads.get(id)
  } catch (error) {
    if (hasStatus(error, 404)) return undefined
    throw error
  }
}

interface Target {
  folder: string
  visibility?: Visibility
  replaces?: string
}

/** Returns the folder and visibility of an unfinished upload, or the file that it replaces. */
export function targetOf({ what, upload: { folder, visibility } }: Unfinished): Target {
  const replaces = replacedBy(what)
  return replaces === undefined ? { folder, ...(visibility && { visibility }) } : { folder: '', replaces }
}

/** Returns true if name, size and modification time are those of the unfinished upload. */
export const isFileOf = (unfinished: Unfinished, file: File): boolean =>
  describeUpload(client.url, { name: file.name, content: file }, targetOf(unfinished)) === unfinished.what

/** Cancels an upload of an earlier visit and removes the bytes that were received. @throws {HoldfastError} */
export async function discard({ what, upload: { id } }: Unfinished): Promise<void> {
  await client.uploads.discard(id)
  memory.forget(what)
}
