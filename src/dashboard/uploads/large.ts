import { createBrowserMemory, describeUpload, type UnfinishedUpload } from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'
import type { Sending } from './sending.ts'

const memory = createBrowserMemory()

/** An upload of an earlier visit, which goes on when its file is chosen again. */
export interface Unfinished {
  /** What this browser remembers it by. */
  what: string
  upload: UnfinishedUpload
}

/**
 * Uploads a large file, which goes on by itself after a broken connection or a restart of the server, and where
 * it was when its file is chosen again after a reload.
 *
 * @throws {HoldfastError}
 */
export async function sendLarge(
  file: File,
  { folder, signal, onProgress, onRetry }: Omit<Sending, 'files'>,
): Promise<void> {
  await client.files.uploadResumable(
    { name: file.name, content: file },
    { folder, memory, signal, onRetry, onProgress: ({ loaded }) => onProgress(loaded) },
  )
}

/** The uploads that this browser began and that are not finished. @throws {HoldfastError} */
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

/** Whether a file is, by its name, size and time of change, the one whose upload is not finished. */
export const isFileOf = ({ what, upload: { folder } }: Unfinished, file: File): boolean =>
  describeUpload(client.url, { name: file.name, content: file }, { folder }) === what

/** Ends an upload of an earlier visit; what has arrived of it is removed. @throws {HoldfastError} */
export async function discard({ what, upload: { id } }: Unfinished): Promise<void> {
  await client.uploads.discard(id)
  memory.forget(what)
}
