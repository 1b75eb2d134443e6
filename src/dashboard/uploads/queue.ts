import { ApiError, explain } from '../api/client.ts'
import { createFolder, refreshFolders, reportCanceled } from '../api/files.ts'
import { toast } from '../components/toast.tsx'
import { joinKey } from '../lib/keys.ts'
import { createStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { type Collected, LIMITS } from './collect.ts'
import { sendFile } from './send.ts'
import { measureSpeed } from './speed.ts'

export type UploadState = 'waiting' | 'sending' | 'done' | 'failed' | 'canceled'

/** One file on its way. */
export interface Upload {
  id: number
  file: File
  /** The key of the folder it goes to. */
  folder: string
  state: UploadState
  /** Bytes that have left the browser. */
  sent: number
  /** Why it failed, in words. */
  message?: string
}

/** Files that are sent at the same time. */
const AT_ONCE = 3
/** How often the pages behind are refreshed while uploads go on, in milliseconds. */
const REFRESH_MS = 1500

export const uploads = createStore<Upload[]>([])
export const speed = measureSpeed()

const running = new Map<number, AbortController>()
let lastId = 0

/** Starts to send what was dropped or picked into the folder `target`. */
export async function enqueue({ files, emptyFolders }: Collected, target: string): Promise<void> {
  const added = files.map(({ file, folder }): Upload => {
    lastId += 1
    return { id: lastId, file, folder: joinKey(target, folder), state: 'waiting', sent: 0 }
  })
  uploads.set((all) => [
    ...all.filter((upload) => isUnfinished(upload) || upload.state === 'failed'),
    ...added,
  ])
  startNext()
  for (const folder of emptyFolders) await makeFolder(joinKey(target, folder))
}

export const isUnfinished = ({ state }: Upload) => state === 'waiting' || state === 'sending'

/** Cancels these uploads. What has begun is recorded by the server itself, what has not is reported to it. */
export function cancel(ids: ReadonlySet<number>): void {
  const waiting = uploads.get().filter(({ id, state }) => ids.has(id) && state === 'waiting')
  uploads.set((all) =>
    all.map((upload) => (ids.has(upload.id) && isUnfinished(upload) ? canceled(upload) : upload)),
  )
  for (const id of ids) running.get(id)?.abort()
  const names = waiting.map(({ file }) => file.name)
  for (let first = 0; first < names.length; first += LIMITS.namesPerReport) {
    // A history that lacks a line is no reason to disturb anyone.
    reportCanceled(names.slice(first, first + LIMITS.namesPerReport)).catch(() => {})
  }
  startNext()
}

const canceled = (upload: Upload): Upload => ({ ...upload, state: 'canceled', sent: 0 })

/** Sends again what failed or was canceled. */
export function retry(ids: ReadonlySet<number>): void {
  uploads.set((all) =>
    all.map((upload) =>
      ids.has(upload.id) && (upload.state === 'failed' || upload.state === 'canceled')
        ? { id: upload.id, file: upload.file, folder: upload.folder, state: 'waiting', sent: 0 }
        : upload,
    ),
  )
  startNext()
}

export const clearFinished = () => uploads.set((all) => all.filter(isUnfinished))

function change(id: number, changes: Partial<Upload>): void {
  uploads.set((all) => all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)))
}

function startNext(): void {
  while (running.size < AT_ONCE) {
    const next = uploads.get().find(({ id, state }) => state === 'waiting' && !running.has(id))
    if (!next) break
    void run(next)
  }
}

async function run({ id, file, folder }: Upload): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  change(id, { state: 'sending' })
  // Unknown at first: an upload that goes on begins in the middle, and what is sent again is no loss of speed.
  let sent: number | undefined
  try {
    const onProgress = (bytes: number) => {
      speed.add(Math.max(0, bytes - (sent ?? bytes)))
      sent = bytes
      change(id, { sent })
    }
    await sendFile({ file, folder, signal: controller.signal, onProgress })
    change(id, { state: 'done', sent: file.size })
  } catch (error) {
    if (!controller.signal.aborted) change(id, { state: 'failed', sent: 0, message: failure(error) })
  } finally {
    running.delete(id)
    refreshSoon()
    startNext()
  }
}

const failure = (error: unknown) =>
  error instanceof ApiError && error.status === 0 ? texts.uploads.interrupted : explain(error)

async function makeFolder(key: string): Promise<void> {
  try {
    await createFolder(key)
  } catch (error) {
    // It may be there already: that is what was wanted.
    if (!(error instanceof ApiError && error.status === 409)) toast.error(explain(error))
  }
}

let isRefreshDue = false
function refreshSoon(): void {
  if (isRefreshDue) return
  isRefreshDue = true
  setTimeout(() => {
    isRefreshDue = false
    void refreshFolders()
  }, REFRESH_MS)
}
