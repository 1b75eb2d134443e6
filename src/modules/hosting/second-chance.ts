interface Kept<Value> {
  value: Value
  /** Since it was kept, or last passed over. */
  wasUsed: boolean
}

/**
 * Values by name, and which of them goes next: the one kept longest that was not asked for since it was last passed
 * over ("second chance", or "clock"). To ask for one only marks it: putting it behind all others, as "least recently
 * used" wants it, costs microseconds once there are thousands. What is asked for only once drops nothing that is
 * asked for again and again.
 */
export class SecondChance<Value> {
  readonly #kept = new Map<string, Kept<Value>>()

  get(name: string): Value | undefined {
    const kept = this.#kept.get(name)
    if (!kept) return undefined
    kept.wasUsed = true
    return kept.value
  }

  /** Keeps a value under a name that is free. Room is made first, or the newest would be the first to go. */
  add(name: string, value: Value): void {
    this.#kept.set(name, { value, wasUsed: false })
  }

  /** Drops a value; answers what it was. */
  delete(name: string): Value | undefined {
    const kept = this.#kept.get(name)
    this.#kept.delete(name)
    return kept?.value
  }

  /** Drops the next; answers what it was, or `undefined` when there is none left. */
  dropNext(): Value | undefined {
    for (const [name, kept] of this.#kept) {
      this.#kept.delete(name)
      if (!kept.wasUsed) return kept.value
      kept.wasUsed = false
      this.#kept.set(name, kept)
    }
    return undefined
  }
}
