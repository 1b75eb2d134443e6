/** Counts events and wakes those that wait for a number of further ones. */
export class Counter {
  #value = 0
  #waiting: { at: number; wake: () => void }[] = []

  add(): void {
    this.#value += 1
    const [due, later] = [true, false].map((isDue) =>
      this.#waiting.filter(({ at }) => at <= this.#value === isDue),
    )
    this.#waiting = later ?? []
    for (const { wake } of due ?? []) wake()
  }

  /** Resolves after `count` further events. */
  after(count: number): Promise<void> {
    return new Promise((wake) => this.#waiting.push({ at: this.#value + count, wake }))
  }
}
