import type { Context } from '../../access/context.ts'

/** Maximum number of files whose last change is remembered; beyond it, each counts as changed. */
const MAX_FILES = 10_000

/**
 * Changes of the rows that responses are made of, by any server that shares the database. What was read at one `count`
 * is compared with the changes that became known since, without a query.
 */
export class Changes {
  readonly #deps: Pick<Context, 'clock' | 'config' | 'store'>
  readonly #ofFile = new Map<string, number>()
  /** Number of the last change that may concern any file. */
  #ofAll = 0
  #count = 0
  /** Time at which the last fence began, and the version of the catalog at that time. */
  #passed = { at: Number.NEGATIVE_INFINITY, version: Number.NaN }

  constructor(deps: Pick<Context, 'clock' | 'config' | 'store'>) {
    this.#deps = deps
    deps.store.onChanges((changes) => {
      if (changes === 'missed') this.#note(undefined)
      else
        for (const { kind, target } of changes)
          if (kind !== 'lists') this.#note(kind === 'file' ? target : undefined)
    })
  }

  /** Number of changes that are known. */
  get count(): number {
    return this.#count
  }

  /** Returns true if a file, as it was read at `count`, has not changed since, as far as is known. */
  isUnchanged(fileId: string, count: number): boolean {
    return count >= this.#ofAll && count >= (this.#ofFile.get(fileId) ?? 0)
  }

  /** Returns true when every change is known that a response must reflect. */
  isCurrent(): boolean {
    const { clock, config, store } = this.#deps
    const { at, version } = this.#passed
    // A change by this server is reflected at once.
    const maxAgeMs = config.database?.hostingStalenessMs ?? 0
    return clock.monotonic() - at < maxAgeMs && version === store.version()
  }

  /**
   * Resolves when every change is known that had been committed before the call.
   *
   * @throws {Refusal} `unavailable` when the database is away.
   */
  async renew(): Promise<void> {
    const { clock, store } = this.#deps
    const passed = { at: clock.monotonic(), version: store.version() }
    await store.fence()
    if (passed.at > this.#passed.at) this.#passed = passed
  }

  /** Records a change of one file, or of any. */
  #note(fileId: string | undefined): void {
    this.#count += 1
    if (fileId !== undefined && this.#ofFile.size < MAX_FILES) {
      this.#ofFile.set(fileId, this.#count)
      return
    }
    this.#ofAll = this.#count
    this.#ofFile.clear()
  }
}
