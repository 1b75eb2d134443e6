/** Bytes of unauthorized requests in memory beyond which no further request is read. */
const MAX_BYTES = 8 * 1024 ** 2
/** Connections admitted per tick while others are held. */
const ADMITTED_PER_TICK = 8

/** Connection that can be told to stop reading. */
interface Source {
  /** True when what arrives next begins a request. */
  readonly isBetweenRequests: boolean
  hold: () => void
  admit: () => void
}

/**
 * Gate for bytes that arrive before their request is authorized. One read takes up to half a MiB, and one tick reads
 * every socket that has bytes, so hundreds of senders could fill the memory before the first head is handled.
 */
export class Intake {
  readonly #sources: { keys: () => Iterable<Source> }
  #bytes = 0
  readonly #held = new Set<Source>()
  #isAdmitting = false

  constructor(sources: { keys: () => Iterable<Source> }) {
    this.#sources = sources
  }

  /** Holds a new connection while others are held. */
  opened(source: Source): void {
    if (this.#held.size > 0) this.#hold(source)
  }

  closed(source: Source): void {
    this.#held.delete(source)
  }

  /** Records bytes of a request that is not authorized yet. */
  arrived(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= MAX_BYTES) return
    for (const source of this.#sources.keys())
      if (source.isBetweenRequests && !this.#held.has(source)) this.#hold(source)
  }

  /** Records that the handler of a request, or its refusal, has taken over these bytes. */
  handled(bytes: number): void {
    this.#bytes -= bytes
    this.#admitSoon()
  }

  #hold(source: Source): void {
    this.#held.add(source)
    source.hold()
    this.#admitSoon()
  }

  #admitSoon(): void {
    if (this.#isAdmitting || this.#held.size === 0 || this.#bytes > MAX_BYTES / 2) return
    this.#isAdmitting = true
    setImmediate(() => {
      this.#isAdmitting = false
      for (const source of [...this.#held.keys().take(ADMITTED_PER_TICK)]) {
        this.#held.delete(source)
        source.admit()
      }
      this.#admitSoon()
    })
  }
}
