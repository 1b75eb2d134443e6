/** Entries saved together: other requests wait for no more than these. */
const SLICE_ENTRIES = 50

interface WriteBehindOptions<Entry> {
  /** Adds `newer` to `entry`, which has the same key. */
  merge: (entry: Entry, newer: Entry) => void
  /** Saves some entries in one transaction: all of them or none. */
  save: (entries: Entry[]) => Promise<unknown>
  /** Order in which entries are saved; by key if missing. */
  compare?: (one: Entry, other: Entry) => number
}

/**
 * Write-behind buffer: collects entries in memory, by key, until `flush` saves them. A request costs no write, and a
 * crash loses the entries since the last flush.
 */
export class WriteBehind<Entry> {
  readonly #options: WriteBehindOptions<Entry>
  #entries = new Map<string, Entry>()
  /** Entries that the running flush has not saved yet. */
  #flushing = new Map<string, Entry>()
  #flushed = Promise.resolve()

  constructor(options: WriteBehindOptions<Entry>) {
    this.#options = options
  }

  /** Number of entries that are not saved yet. */
  get size(): number {
    return this.#entries.size + this.#flushing.size
  }

  add(key: string, entry: Entry): void {
    const present = this.#entries.get(key)
    if (present === undefined) this.#entries.set(key, entry)
    else this.#options.merge(present, entry)
  }

  /** Returns the entry with this key, to be changed in place at once; creates it if there is none. */
  at(key: string, create: (key: string) => Entry): Entry {
    const present = this.#entries.get(key)
    if (present !== undefined) return present
    const entry = create(key)
    this.#entries.set(key, entry)
    return entry
  }

  /**
   * Saves all entries that were added before the call, after a flush that is still running. Entries that fail stay
   * for the next flush.
   */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.catch(() => {}).then(() => this.#save())
    return this.#flushed
  }

  async #save(): Promise<void> {
    this.#flushing = this.#entries
    this.#entries = new Map()
    const sorted = this.#sorted()
    try {
      for (let start = 0; start < sorted.length; start += SLICE_ENTRIES) {
        const slice = sorted.slice(start, start + SLICE_ENTRIES)
        await this.#options.save(slice.map(([, entry]) => entry))
        for (const [key] of slice) this.#flushing.delete(key)
      }
    } catch (error) {
      const newer = this.#entries
      this.#entries = this.#flushing
      this.#flushing = new Map()
      for (const [key, entry] of newer) this.add(key, entry)
      throw error
    }
  }

  #sorted(): [string, Entry][] {
    const { compare } = this.#options
    return [...this.#flushing].sort(([key, entry], [otherKey, other]) =>
      compare ? compare(entry, other) : key < otherKey ? -1 : 1,
    )
  }
}
