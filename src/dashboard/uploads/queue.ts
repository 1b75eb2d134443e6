import type { Visibility } from '../../client/index.ts'
import { explain, hasStatus } from '../api/client.ts'
import { contentOf, createFolder, refreshFolders, reportCanceled } from '../api/files.ts'
import { noteAccess } from '../api/query.ts'
import { isSignedIn } from '../api/session.ts'
import { forgetUndo } from '../bulk/job.ts'
import { toast } from '../components/overlays/toast.tsx'
import { joinKey } from '../lib/paths.ts'
import { createStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { measureSpeed, shareOut, takeBatch } from './batch.ts'
import { type Collected, LIMITS, queue } from './collect.ts'
import { discardLarge, isLarge } from './large.ts'
import { sendFiles } from './send.ts'

export type UploadState = 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'canceled'

/** One file on its way. */
export interface Upload {
  id: number
  file: File
  /** Object key of the target folder. */
  folder: string
  /** Id of the file whose bytes it replaces. */
  replaces?: string
  visibility?: Visibility | undefined
  state: UploadState
  /** Bytes that have left the browser. */
  sent: number
  /** True after an interruption, until it resumes. */
  isRetrying?: boolean
  /** True if it pauses unless its request succeeds: a small file cannot continue in the middle. */
  isPausing?: boolean
  /** True if it was paused because the session had ended. It fails if that happens again without a sign-in. */
  isSignedOut?: boolean
  /** Reason of the failure in words. */
  message?: string
  /** Number of a group that is sent together: half of a batch that was refused as a whole. */
  group?: number
}

/** Uploads in one request. */
interface Batch {
  uploads: readonly Upload[]
  controller: AbortController
}

/** Maximum requests at the same time. */
const AT_ONCE = 3
/** Milliseconds between refreshes of the page during uploads. */
const REFRESH_MS = 1500

export const uploads = createStore<Upload[]>([])
export const speed = measureSpeed()

const running = new Set<Batch>()
let lastId = 0
let lastGroup = 0

/** Uploads dropped or picked files into the folder `target`. */
export async function enqueue({ files, emptyFolders }: Collected, target: string): Promise<void> {
  forgetUndo()
  const added = files.map(({ folder, ...picked }): Upload => {
    lastId += 1
    return { id: lastId, ...picked, folder: joinKey(target, folder), state: 'waiting', sent: 0 }
  })
  uploads.set((all) => [
    ...all.filter((upload) => isUnfinished(upload) || upload.state === 'failed'),
    ...added,
  ])
  startNext()
  for (const folder of emptyFolders) await makeFolder(joinKey(target, folder))
}

export const isUnfinished = ({ state }: Upload) =>
  state === 'waiting' || state === 'sending' || state === 'paused'

/**
 * Cancels uploads. The server records those that have begun; the others are reported to it. Files in the same
 * request are sent again.
 */
export function cancel(ids: ReadonlySet<number>): void {
  const ended = uploads.get().filter((upload) => ids.has(upload.id) && isUnfinished(upload))
  uploads.set((all) =>
    all.map((upload) => (ids.has(upload.id) && isUnfinished(upload) ? canceled(upload) : upload)),
  )
  abortRequests(ids)
  const isBegun = (upload: Upload) =>
    isLarge(upload.file) ? discardLarge(upload.file, upload) : upload.state === 'sending'
  const names = ended.filter((upload) => !isBegun(upload)).map(({ file }) => file.name)
  for (let first = 0; first < names.length; first += LIMITS.namesPerReport) {
    // A missing entry in the history is no reason for a message.
    reportCanceled(names.slice(first, first + LIMITS.namesPerReport)).catch(() => {})
  }
  startNext()
}

function abortRequests(ids: ReadonlySet<number>): void {
  for (const batch of running) if (batch.uploads.some(({ id }) => ids.has(id))) batch.controller.abort()
}

/** True for an upload that pauses at once. A small file in a request that has begun does not. */
export const canPause = ({ state, file, isRetrying }: Upload): boolean =>
  state === 'waiting' || (state === 'sending' && (isRetrying || isLarge(file)))

/** Pauses uploads. Large files continue later where they stopped; a request with small ones ends first. */
export function pause(ids: ReadonlySet<number>): void {
  const stopped = new Set<number>()
  uploads.set((all) =>
    all.map((upload) => {
      if (!ids.has(upload.id)) return upload
      if (!canPause(upload)) return { ...upload, isPausing: upload.state === 'sending' }
      stopped.add(upload.id)
      return { ...upload, state: 'paused' }
    }),
  )
  abortRequests(stopped)
  startNext()
}

/** Continues uploads that were paused. */
export function resume(ids: ReadonlySet<number>): void {
  uploads.set((all) =>
    all.map((upload) => {
      if (!ids.has(upload.id)) return upload
      const state = upload.state === 'paused' ? 'waiting' : upload.state
      return { ...upload, state, isPausing: false, isSignedOut: false }
    }),
  )
  startNext()
}

/** Pauses what waits until the account has signed in. It may have done so while a request of its last session ended. */
async function pauseSignedOut(): Promise<void> {
  const turn = (from: UploadState, to: UploadState, isMeant: (upload: Upload) => boolean) =>
    uploads.set((all) =>
      all.map((upload) =>
        upload.state === from && isMeant(upload) ? { ...upload, state: to, isSignedOut: true } : upload,
      ),
    )
  turn('waiting', 'paused', () => true)
  if (await isSignedIn()) turn('paused', 'waiting', ({ isSignedOut }) => isSignedOut === true)
}

/** Continues uploads that were paused because the session had ended. */
export const resumeSignedIn = () =>
  resume(new Set(uploads.get().flatMap(({ id, isSignedOut }) => (isSignedOut ? [id] : []))))

const isUploading = () => uploads.get().some(isUnfinished)

export const cancelAll = () => cancel(new Set(uploads.get().map(({ id }) => id)))

queue.now = { isUploading, cancelAll }

const waitingAgain = ({ message: _, isPausing, ...upload }: Upload): Upload => ({
  ...upload,
  state: isPausing ? 'paused' : 'waiting',
  sent: 0,
})

const canceled = (upload: Upload): Upload => ({ ...upload, state: 'canceled', sent: 0, isPausing: false })

export const hasEnded = ({ state }: Upload) => state === 'failed' || state === 'canceled'

/** Discards uploads that failed or were canceled, to be repeated. Returns false if some are repeated already. */
export function discardEnded(ids: ReadonlySet<number>): boolean {
  const ended = uploads.get().filter((upload) => ids.has(upload.id) && hasEnded(upload))
  if (ended.length < ids.size) return false
  uploads.set((all) => all.filter(({ id }) => !ids.has(id)))
  return true
}

export const clearFinished = () => uploads.set((all) => all.filter(isUnfinished))

/** Applies `changeOf` to the uploads of a batch. */
function change(batch: Batch, changeOf: (upload: Upload, index: number) => Upload): void {
  const places = new Map(batch.uploads.map(({ id }, index) => [id, index]))
  uploads.set((all) =>
    all.map((upload) => {
      const index = places.get(upload.id)
      // Canceled and paused uploads stay so.
      return index === undefined || upload.state !== 'sending' ? upload : changeOf(upload, index)
    }),
  )
}

function startNext(): void {
  while (running.size < AT_ONCE) {
    const underWay = new Set([...running].flatMap((batch) => batch.uploads.map(({ id }) => id)))
    const next = takeBatch(uploads.get().filter(({ id, state }) => state === 'waiting' && !underWay.has(id)))
    if (next.length === 0) break
    void run(next)
  }
}

async function run(next: readonly Upload[]): Promise<void> {
  const batch: Batch = { uploads: next, controller: new AbortController() }
  running.add(batch)
  const ids = new Set(next.map(({ id }) => id))
  uploads.set((all) =>
    all.map((upload) => (ids.has(upload.id) ? { ...upload, state: 'sending', isRetrying: false } : upload)),
  )
  try {
    await send(batch)
    change(batch, (upload) => ({ ...upload, state: 'done', sent: upload.file.size }))
  } catch (error) {
    change(batch, await afterFailure(batch, error))
    if (hasStatus(error, 401)) await pauseSignedOut()
    else noteAccess(error)
  } finally {
    running.delete(batch)
    refreshSoon()
    startNext()
  }
}

function send(batch: Batch): Promise<void> {
  // Undefined at first. A resumed upload begins in the middle, and repeated bytes do not lower the speed.
  let sent: number | undefined
  const onProgress = (bytes: number) => {
    speed.add(Math.max(0, bytes - (sent ?? bytes)))
    sent = bytes
    const shares = shareOut(batch.uploads, bytes)
    change(batch, (upload, index) => ({ ...upload, sent: shares[index] ?? 0, isRetrying: false }))
  }
  const onRetry = () => {
    change(batch, (upload) => ({ ...upload, isRetrying: true }))
    const ids = new Set(batch.uploads.map(({ id }) => id))
    if (uploads.get().some(({ id, isPausing }) => isPausing && ids.has(id))) batch.controller.abort()
  }
  const files = batch.uploads.map(({ file }) => file)
  const folder = batch.uploads[0]?.folder ?? ''
  const replaces = batch.uploads.flatMap((upload) => upload.replaces ?? [])
  const visibility = batch.uploads[0]?.visibility
  return sendFiles({
    files,
    folder,
    replaces,
    visibility,
    signal: batch.controller.signal,
    onProgress,
    onRetry,
  })
}

type Change = (upload: Upload, index: number) => Upload

/** Decides about the uploads of a batch that failed. Those without a fault are sent again together. */
async function afterFailure({ uploads: together, controller }: Batch, error: unknown): Promise<Change> {
  const isNew = !together.some(({ isSignedOut }) => isSignedOut)
  if (controller.signal.aborted || (hasStatus(error, 401) && isNew)) return waitingAgain
  const fail = (message: string) => (upload: Upload) => ({
    ...upload,
    state: 'failed' as const,
    sent: 0,
    isPausing: false,
    message,
  })
  if (together.length === 1 || !isRefusal(error)) return fail(failure(error))
  const taken = error.status === 409 ? await takenNames(together[0]?.folder ?? '') : new Set()
  const failTaken = fail(texts.uploads.taken)
  if (together.some(({ file }) => taken.has(file.name)))
    return (upload) => (taken.has(upload.file.name) ? failTaken(upload) : waitingAgain(upload))
  return inHalves(together.length)
}

/** Splits a refused batch into halves, which finds the faulty file in few requests. */
function inHalves(count: number): Change {
  lastGroup += 2
  const [first, second] = [lastGroup - 1, lastGroup]
  return (upload, index) => ({ ...waitingAgain(upload), group: index < count / 2 ? first : second })
}

async function takenNames(folder: string): Promise<ReadonlySet<string>> {
  const present = await contentOf(folder, { isFresh: true }).catch(() => undefined)
  return new Set(present && [...present.files, ...present.folders].map(({ name }) => name))
}

/** Returns true for a refusal of the content: a name that is taken, a file that is too large, too many files, no room. */
const isRefusal = (error: unknown) => hasStatus(error, 400, 409, 413, 507)

const failure = (error: unknown) => (hasStatus(error, 0) ? texts.uploads.interrupted : explain(error))

async function makeFolder(key: string): Promise<void> {
  try {
    await createFolder(key)
  } catch (error) {
    // An existing folder is what was wanted.
    if (!hasStatus(error, 409)) toast.error(explain(error))
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
