import { causeOf, Refusal, reasonOf, StartError } from '../../platform/errors.ts'
import type { FolderDeps } from './change.ts'
import { type Plan, readPlan } from './plan.ts'
import { recover } from './recover.ts'
import { finishDiscard, isCommitted } from './remove.ts'

/** Milliseconds after which the intents of finished operations are removed without a next announcement. */
const FORGET_MS = 100

type UnfinishedDeps = Omit<FolderDeps, 'unfinished' | 'keyLimit' | 'versionDays'>

/** Operation whose intent still exists. */
interface Left {
  /** Plan of the operation; missing when this version does not understand it. */
  plan?: Plan
  /** Reason of the last attempt's failure. */
  failure?: string
  failedAt?: number
  /** Attempt under way. */
  attempt?: Promise<boolean>
}

/**
 * Announced operations that are not finished: those of an earlier process, those being purged, and those that
 * the disk refuses for now. They are retried and block nothing else.
 */
export class Unfinished {
  readonly #deps: UnfinishedDeps
  readonly #left = new Map<string, Left>()
  /** Intents of finished operations. The next announcement removes their rows, which saves a commit each. */
  readonly #finished = new Set<string>()
  #timer: Timer | undefined

  constructor(deps: UnfinishedDeps) {
    this.#deps = deps
  }

  /**
   * Rolls operations of an earlier process forward or back. Failed ones are reported and retried later;
   * deletions of folders, which may take long, are left to `retry`.
   *
   * @returns The number of operations that can be finished.
   */
  async recover(): Promise<number> {
    const intents = await this.#deps.catalog.intents.all()
    for (const { id, plan } of intents) await this.#recoverOne(id, plan)
    return intents.filter(({ id }) => this.#left.get(id)?.failure === undefined).length
  }

  /**
   * Commits the intent of an operation, before the volume is changed. An intent never outlives the announcement
   * of the next operation, because its inode may be used again from then on. It grants nothing, so the commit alone is
   * authorized.
   */
  async announce(id: string, plan: Plan, frees = false): Promise<void> {
    const { catalog, clock } = this.#deps
    const transact = frees ? catalog.transactToFree : catalog.transact
    const finished = [...this.#finished]
    await transact(function* () {
      for (const each of finished) yield* catalog.intents.remove(each)
      yield* catalog.intents.insert({ id, plan, createdAt: clock.now() })
    })
    for (const each of finished) this.#finished.delete(each)
  }

  /** Removes the intents of finished operations. */
  async forget(): Promise<void> {
    const { catalog } = this.#deps
    clearTimeout(this.#timer)
    this.#timer = undefined
    const finished = [...this.#finished]
    if (finished.length === 0) return
    await catalog.transactToFree(function* () {
      for (const id of finished) yield* catalog.intents.remove(id)
    })
    for (const id of finished) this.#finished.delete(id)
  }

  /** Retries every operation that is left, one after the other. */
  async retry(): Promise<void> {
    for (const [id, { plan, attempt }] of [...this.#left]) {
      if (!plan) continue
      if (attempt) await attempt
      else if (plan.kind === 'discard') await this.finish(id, plan)
      else await this.#deps.lock.exclusive(() => this.finish(id, plan))
    }
    await this.forget()
  }

  /**
   * Finishes a committed operation, or rolls an upload back.
   *
   * @returns True on success; otherwise it is retried.
   */
  finish(id: string, plan: Plan): Promise<boolean> {
    const attempt = this.#attempt(id, plan)
    this.#left.set(id, { ...this.#left.get(id), plan, attempt })
    return attempt
  }

  /**
   * Rolls back an operation that was not committed. @throws {UnknownOutcome} on failure, because only the
   * next start can tell.
   */
  async rollBack(id: string, plan: Plan): Promise<void> {
    const { catalog, volume } = this.#deps
    // Without its volume nothing was changed, and it may return soon.
    if (!volume.isPresent()) return this.#report(id, { plan }, new Error('The volume is not there'))
    try {
      await this.#carryOn(id, plan)
    } catch (error) {
      throw catalog.fail(error)
    }
  }

  /**
   * Asserts that no unfinished change stands at, above or below one of the keys.
   *
   * @throws {Refusal} `unavailable` while there is one.
   */
  async assertFinished(keys: readonly string[]): Promise<void> {
    for (const { plan, failure } of this.#left.values()) {
      if (!plan || failure === undefined) continue
      const busy = keysOf(plan, await this.#isPurge(plan)).find((key) =>
        keys.some((other) => isRelated(key, other)),
      )
      if (busy !== undefined)
        throw new Refusal(
          'unavailable',
          `An earlier change of "${busy}" could not be finished yet: the log of the server says why`,
        )
    }
  }

  /**
   * Returns the keys, and the paths in `trash/` and `versions/`, whose bytes the operations that are left may change.
   *
   * @throws {StartError} when one is of another version.
   */
  async places(): Promise<string[]> {
    const places: string[] = []
    for (const { plan } of this.#left.values()) {
      if (!plan) throw new StartError(describe(plan, undefined))
      places.push(...keysOf(plan, await this.#isPurge(plan)), ...hiddenPlacesOf(plan))
    }
    return places
  }

  /** Returns how many operations the disk refuses and when the latest was noticed; `undefined` for none. */
  summary(): { count: number; latest: number } | undefined {
    const times = [...this.#left.values()].flatMap(({ failedAt }) => failedAt ?? [])
    const bytes = this.#deps.versionBytes.summary() ?? { count: 0, latest: 0 }
    const count = times.length + bytes.count
    return count === 0 ? undefined : { count, latest: Math.max(...times, bytes.latest) }
  }

  /** Returns the names in staging that unfinished operations need. */
  asideNames(): string[] {
    return [...this.#left.values()].flatMap(({ plan }) =>
      plan && 'aside' in plan && plan.aside !== undefined ? [plan.aside] : [],
    )
  }

  /** Returns the names in `versions/` that unfinished operations need. */
  versionNames(): string[] {
    return [...this.#left.values()].flatMap(({ plan }) => (plan?.kind === 'replace' ? [plan.version] : []))
  }

  async #recoverOne(id: string, stored: unknown): Promise<void> {
    let plan: Plan | undefined
    try {
      plan = readPlan(stored)
      this.#left.set(id, { plan })
      if (!(await this.#isPurge(plan))) await this.#attempt(id, plan)
    } catch (error) {
      this.#report(id, plan ? { plan } : {}, error)
    }
  }

  async #attempt(id: string, plan: Plan): Promise<boolean> {
    try {
      await this.#carryOn(id, plan)
      this.#left.delete(id)
      return true
    } catch (error) {
      this.#report(id, { plan }, error)
      return false
    }
  }

  async #carryOn(id: string, plan: Plan): Promise<void> {
    // Without its volume every file would seem to be gone.
    this.#deps.volume.assertPresent()
    if (plan.kind === 'discard') await finishDiscard(this.#deps, plan)
    else await recover(this.#deps, plan)
    this.#finished.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // A failure is retried each minute.
      void this.forget().catch(() => {})
    }, FORGET_MS).unref()
  }

  /** Logs the reason why an operation is left, once per reason. */
  #report(id: string, { plan }: Left, error: unknown): void {
    const failure = reasonOf(error)
    const before = this.#left.get(id)
    this.#left.set(id, {
      ...(plan && { plan }),
      failure,
      failedAt: before?.failedAt ?? this.#deps.clock.now(),
    })
    if (before?.failure !== failure) this.#deps.log.error(describe(plan, error), error)
  }

  async #isPurge(plan: Plan): Promise<boolean> {
    return plan.kind === 'discard' && isCommitted(this.#deps, plan)
  }
}

/** Returns the keys that nothing else may change before the plan is finished. */
function keysOf(plan: Plan, isPurge: boolean): string[] {
  switch (plan.kind) {
    case 'delete':
    case 'trash':
      return [plan.key]
    case 'replace':
      return plan.from === undefined ? [plan.key] : [plan.key, plan.from]
    case 'move':
      return [plan.from.key, plan.to.key]
    case 'swap':
      return plan.next.isTrash ? [plan.key] : [plan.key, plan.next.from]
    case 'discard':
      return plan.key === null || isPurge ? [] : [plan.key]
    default:
      return []
  }
}

/** Returns the places of a plan that another change does not wait for. */
function hiddenPlacesOf(plan: Plan): string[] {
  switch (plan.kind) {
    case 'upload':
      return [...plan.folders, ...plan.files.map(({ key }) => key)]
    case 'replace':
      return [`versions/${plan.version}`]
    case 'trash':
      return [`trash/${plan.held}`]
    case 'swap':
      return [`trash/${plan.old.held}`, ...(plan.next.isTrash ? [`trash/${plan.next.from}`] : [])]
    default:
      return []
  }
}

/** Returns true when one of two keys is, or is below, the other. */
export const isRelated = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)

/** Returns what could not be finished and why, in one line. */
function describe(plan: Plan | undefined, error: unknown): string {
  if (!plan) return 'An unfinished operation is of another version of Holdfast: start that one once'
  return `${failureOf(plan)}: ${causeOf(error)}. The server tries again each minute`
}

function failureOf(plan: Plan): string {
  switch (plan.kind) {
    case 'upload':
      return `An upload of "${plan.files[0]?.key ?? plan.folders[0]}" could not be undone`
    case 'delete':
      return `The delete of the file "${plan.key}", set aside as "tmp/${plan.aside}", could not be finished`
    case 'move':
      return `The move of "${plan.from.key}" to "${plan.to.key}" could not be finished`
    case 'replace':
      return `The replacement of the file "${plan.key}" could not be finished`
    case 'trash':
      return `The move of "${plan.key}" to or from "trash/${plan.held}" could not be finished`
    case 'swap':
      return `The replacement of the folder "${plan.key}" could not be finished`
    case 'discard':
      if (plan.key === null) return 'The rows of a deleted folder could not be removed'
      return `The deleted folder "${plan.key}", set aside as "tmp/${plan.aside}", could not be removed`
  }
}
