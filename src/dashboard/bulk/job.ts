import { HoldfastError } from '../../client/index.ts'
import { explain, hasStatus, inWords, waitOf } from '../api/client.ts'
import { hidden } from '../api/files.ts'
import { noteAccess } from '../api/query.ts'
import { type BusyToast, toast } from '../components/overlays/toast.tsx'
import { formatCount } from '../lib/format.ts'
import { setTitleProgress } from '../lib/title.ts'
import { texts } from '../texts.ts'
import { pace, sleep } from './pace.ts'

/** One request of a job. */
export interface Step {
  /** Number of files and folders in the request. */
  items: number
  /** Sends the request. Returns the reasons why items were refused. */
  run: () => Promise<{ failed: { message: string }[] }>
}

export interface JobOutcome {
  done: number
  failed: number
  /** Reason of the first failure. */
  reason: string | undefined
  /** Items that were not tried, because the job was canceled or the server does not respond. */
  left: number
  isCanceled: boolean
}

/** Milliseconds before a job shows its progress. A short job would flicker. */
const QUIET_MS = 400
const SECOND_MS = 1000

const running = new Set<Job>()

export const isJobRunning = () => running.size > 0

export const cancelJobs = () => {
  for (const job of running) job.cancel()
}

/** Sends many requests one after the other, shows the progress, and pauses when the server asks for it. */
export const runJob = (title: string, steps: readonly Step[]): Promise<JobOutcome> =>
  new Job(title, steps).run()

class Job {
  readonly #title: string
  readonly #steps: readonly Step[]
  readonly #total: number
  readonly #controller = new AbortController()
  readonly #outcome: JobOutcome
  #toast: BusyToast | undefined
  /** Requests that the server has, or had. */
  #sent = 0

  constructor(title: string, steps: readonly Step[]) {
    this.#title = title
    this.#steps = steps
    this.#total = steps.reduce((sum, { items }) => sum + items, 0)
    this.#outcome = { done: 0, failed: 0, reason: undefined, left: this.#total, isCanceled: false }
  }

  /** True while the page has requests to send: the server finishes those that it has. */
  get needsPage(): boolean {
    return this.#sent < this.#steps.length
  }

  cancel(): void {
    this.#controller.abort()
    this.#outcome.isCanceled = true
    if (this.#toast) this.#show()
  }

  async run(): Promise<JobOutcome> {
    latest = undefined
    running.add(this)
    addEventListener('beforeunload', askToStay)
    const timer = setTimeout(() => this.#show(), QUIET_MS)
    try {
      for (const step of this.#steps) {
        if (!(await this.#make(step))) break
      }
    } finally {
      clearTimeout(timer)
      this.#toast?.close()
      if (this.#toast) setTitleProgress(undefined)
      running.delete(this)
      if (running.size === 0) removeEventListener('beforeunload', askToStay)
    }
    return this.#outcome
  }

  /** Sends one request, again after each pause that the server asks for. Returns false when the job must stop. */
  async #make(step: Step): Promise<boolean> {
    const { signal } = this.#controller
    while (!signal.aborted) {
      const pause = pace.take()
      if (pause > 0) {
        await this.#pause(pause)
        continue
      }
      try {
        this.#sent += 1
        if (this.#toast) this.#show()
        const { failed } = await step.run()
        this.#count(step.items, failed.length, failed[0] && inWords(failed[0].message))
        return true
      } catch (error) {
        const wait = waitOf(error)
        if (wait === 0) return this.#refused(step, error)
        this.#sent -= 1
        pace.slowDown()
        await this.#pause(wait * SECOND_MS)
      }
    }
    return false
  }

  #refused({ items }: Step, error: unknown): boolean {
    noteAccess(error)
    const isHopeless = !(error instanceof HoldfastError) || hasStatus(error, 0, 401, 403)
    if (isHopeless) this.#outcome.reason ??= explain(error)
    else this.#count(items, items, explain(error))
    return !isHopeless
  }

  #count(items: number, failed: number, reason: string | undefined): void {
    this.#outcome.done += items - failed
    this.#outcome.failed += failed
    this.#outcome.left -= items
    this.#outcome.reason ??= reason
    if (this.#toast) this.#show()
  }

  #progress = () =>
    this.#steps.length === 1 ? '' : texts.bulk.progress(this.#total - this.#outcome.left, this.#total)

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#controller
    for (let left = Math.ceil(ms / SECOND_MS); left > 0 && !signal.aborted; left -= 1) {
      this.#show(texts.bulk.waiting(left))
      await sleep(Math.min(SECOND_MS, ms), signal)
    }
    if (!signal.aborted) this.#show()
  }

  #show(detail = this.#progress()): void {
    // A single request tells nothing before its end.
    const isWhole = this.#steps.length === 1
    const progress = isWhole ? undefined : (this.#total - this.#outcome.left) / Math.max(1, this.#total)
    setTitleProgress(progress)
    const isEnding = this.#controller.signal.aborted
    const state = {
      message: this.#title,
      detail: isEnding ? texts.bulk.ending(detail) : detail,
      progress,
      isEnding,
      // The server finishes the last request.
      action: this.needsPage ? { label: texts.actions.cancel, run: () => this.cancel() } : undefined,
    }
    if (this.#toast) this.#toast.update(state)
    else this.#toast = toast.busy(state)
  }
}

/** Asks before the page closes, if that would end a job. */
const askToStay = (event: BeforeUnloadEvent) => {
  if ([...running].some(({ needsPage }) => needsPage)) event.preventDefault()
}

/** Maximum files and folders in one request, which the server finishes without the page. */
const BATCH = 5000

/** Returns one request for each batch of `items`. */
export function batchSteps<Item>(
  items: readonly Item[],
  run: (some: Item[]) => ReturnType<Step['run']>,
): Step[] {
  const steps: Step[] = []
  for (let first = 0; first < items.length; first += BATCH) {
    const some = items.slice(first, first + BATCH)
    steps.push({ items: some.length, run: () => run(some) })
  }
  return steps
}

/** Returns the items that a job changed in words: `all` if none is missing, or their number. */
export const changedItems = ({ done, failed, left }: JobOutcome, all: string): string =>
  failed + left === 0 ? all : formatCount(done, texts.nouns.item)

interface Report {
  /** Message about what was done; empty if it was nothing. */
  done: string
  /** Returns the message about items that failed, with the first reason. */
  notDone: (what: string, reason: string) => string
  undo?: (() => void) | undefined
}

/** Reports what a job did, what a cancel left, and what failed. */
export function reportJob(outcome: JobOutcome, { done, notDone, undo }: Report): void {
  const { failed, left, reason, isCanceled } = outcome
  const stopped = isCanceled ? left : 0
  const missed = failed + left - stopped
  const isAny = done !== '' && (outcome.done > 0 || failed + left === 0)
  const message = stopped > 0 ? texts.bulk.canceled(isAny ? done : '', stopped) : done
  if (isAny && undo) offerUndo(message, undo)
  else if (isAny || stopped > 0) toast.done(message)
  isUndoAwaited = false
  if (missed > 0) toast.error(notDone(formatCount(missed, texts.nouns.item), reason ?? texts.errors.title))
}

/** Latest change that can be undone; each only once. */
let latest: (() => void) | undefined
/** True when the change under way is to be undone as soon as it is made. */
let isUndoAwaited = false

/** Shows a message with a button that undoes the change. Ctrl+Z does the same. */
export function offerUndo(message: string, undo: () => void): void {
  let isDone = false
  const run = () => {
    if (isDone) return
    isDone = true
    isUndoAwaited = false
    if (latest === run) latest = undefined
    toast.close(id)
    undo()
  }
  const id = toast.done(message, { label: texts.trash.undo, run })
  latest = run
  if (isUndoAwaited) run()
}

/** Drops the latest undo. Each change does, so that Ctrl+Z undoes no older one than the last. */
export const forgetUndo = () => {
  latest = undefined
  isUndoAwaited = false
}

/** Undoes the latest change, or the one that is under way once it is made. */
export function undoLatest(): void {
  if (latest) latest()
  else isUndoAwaited = isJobRunning() || hidden.get().size > 0
}
