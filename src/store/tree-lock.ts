type Mode = 'shared' | 'exclusive'

interface Waiter {
  mode: Mode
  start: () => void
}

/**
 * Orders operations on the tree. Those that only add to an existing folder share the lock; those that change
 * the tree itself hold it alone. First come, first served, so nothing starves. Reading needs no lock.
 */
export class TreeLock {
  #sharing = 0
  #exclusive = false
  readonly #waiting: Waiter[] = []

  shared<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#run('shared', work)
  }

  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#run('exclusive', work)
  }

  async #run<Value>(mode: Mode, work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((start) => {
      this.#waiting.push({ mode, start })
      this.#admit()
    })
    try {
      return await work()
    } finally {
      if (mode === 'shared') this.#sharing -= 1
      else this.#exclusive = false
      this.#admit()
    }
  }

  #admit(): void {
    let next = this.#waiting[0]
    while (next && !this.#exclusive && (next.mode === 'shared' || this.#sharing === 0)) {
      this.#waiting.shift()
      if (next.mode === 'shared') this.#sharing += 1
      else this.#exclusive = true
      next.start()
      next = this.#waiting[0]
    }
  }
}
