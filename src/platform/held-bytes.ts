/** Bytes of bodies that are arriving and that no row counts, by the names of what they count for. */
export class HeldBytes {
  readonly #bytes = new Map<string, number>()

  of(name: string): number {
    return this.#bytes.get(name) ?? 0
  }

  add(names: readonly string[], bytes: number): void {
    for (const name of names) {
      const sum = this.of(name) + bytes
      if (sum === 0) this.#bytes.delete(name)
      else this.#bytes.set(name, sum)
    }
  }
}
