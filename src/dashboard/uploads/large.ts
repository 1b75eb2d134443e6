import {
  createBrowserMemory,
  describeUpload,
  RESUMABLE_BYTES,
  replacedBy,
  type UnfinishedUpload,
  type Visibility,
} from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'

const memory = createBrowserMemory()

/** Upload of an earlier visit, which continues when its file is chosen again. */
export interface Unfinished {
  /** Identity in this browser's storage. */
  what: string
  upload: UnfinishedUpload
}

/** True for a file whose upload can continue where it stopped. */
export const isLarge = ({ size }: File): boolean => size > RESUMABLE_BYTES

/**
 * Uploads a large file. Continues after a pause, a broken connection or a restart of the server, and after a reload
 * when the file is chosen again. An abort leaves the received bytes on the server.
 *
 * @throws {HoldfastError}
 */
export async function sendLarge(
  file: File,
  { replaces: [replaces], signal, onProgress, onRetry, ...target }: Omit<Sending, 'files'>,
): Promise<void> {
  await client.files.uploadResumable(
    { name: file.name, content: file },
    {
      ...placementOf({ ...target, ...(replaces !== undefined && { replaces }) }),
      memory,
      onAbort: 'keep',
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
  visibility?: Visibility | undefined
  replaces?: string
}

/** Returns where the file goes: to a folder, or in place of another file, which keeps its own visibility. */
const placementOf = ({ folder, visibility, replaces }: Target) =>
  replaces === undefined ? { folder, ...(visibility && { visibility }) } : { replaces }

/** Returns the folder and visibility of an unfinished upload, or the file that it replaces. */
export function targetOf({ what, upload: { folder, visibility } }: Unfinished) {
  const replaces = replacedBy(what)
  return replaces === undefined ? { folder, ...(visibility && { visibility }) } : { folder: '', replaces }
}

/** Returns true if name, size and modification time are those of the unfinished upload. */
export const isFileOf = (unfinished: Unfinished, file: File): boolean =>
  describeUpload(client.url, { name: file.name, content: file }, targetOf(unfinished)) === unfinished.what

/** Cancels a large upload on the server. Returns false if the server has none of it. */
export function discardLarge(file: File, target: Target): boolean {
  const what = describeUpload(client.url, { name: file.name, content: file }, placementOf(target))
  const id = memory.recall(what)
  if (!id) return false
  void memory.forget(what)
  // The server removes it after a day.
  client.uploads.discard(id).catch(() => {})
  return true
}

/** Cancels an upload of an earlier visit and removes the bytes that were received. @throws {HoldfastError} */
export async function discard({ what, upload: { id } }: Unfinished): Promise<void> {
  await client.uploads.discard(id)
  memory.forget(what)
}

/** Files on their way to one folder. */
export interface Sending {
  files: File[]
  /** Object key of the target folder, created when missing. */
  folder: string
  /** Ids of the files that these replace, one for each, or none. */
  replaces: readonly string[]
  /** Visibility of new files. Replaced ones retain theirs. */
  visibility: Visibility | undefined
  signal: AbortSignal
  /** Called with the bytes that have been sent. */
  onProgress: (bytes: number) => void
  /** Called before a pause, after which the request is repeated. */
  onRetry: () => void
}
