/** Pictures that are loaded at the same time. */
const AT_ONCE = 6
/** Seconds to wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5

/** A picture that waits for its turn. */
export interface Waiting {
  url: string
  /** Shows the picture, which loads then; `ended` follows. */
  start: () => void
}

/**
 * Loads few pictures at a time, in the order in which they came into view. When the server refuses one for now, all
 * wait as long as it says; then that one is tried again.
 */
export class ThumbnailQueue {
  readonly #waiting = new Set<Waiting>()
  readonly #loading = new Set<Waiting>()
  readonly #triedAgain = new WeakSet<Waiting>()
  #pause: Promise<void> | undefined

  add(picture: Waiting): void {
    this.#waiting.add(picture)
    this.#startNext()
  }

  /** Takes a picture out that left the view. */
  remove(picture: Waiting): void {
    this.#waiting.delete(picture)
    this.ended(picture)
  }

  /** Frees the place of a picture that was loaded, or never will be. */
  ended(picture: Waiting): void {
    this.#loading.delete(picture)
    this.#startNext()
  }

  /** Has a picture that could not be loaded wait for another turn when the server refused it for now. */
  async failed(picture: Waiting): Promise<void> {
    // An image element does not tell why.
    const response = await fetch(picture.url, { method: 'HEAD' }).catch(() => undefined)
    const isRefused = response?.status === 429
    if (isRefused) this.#pauseFor(Number(response.headers.get('Retry-After')) || DEFAULT_WAIT_SECONDS)
    // The limit may have ended between the two requests: one more try tells.
    const mayLoad = isRefused || (response?.ok && !this.#triedAgain.has(picture))
    // It may have left the view meanwhile.
    if (mayLoad && this.#loading.has(picture)) this.#waiting.add(picture)
    if (!isRefused) this.#triedAgain.add(picture)
    this.ended(picture)
  }

  #pauseFor(seconds: number): void {
    const pause = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000)).then(() => {
      if (this.#pause === pause) this.#pause = undefined
      this.#startNext()
    })
    this.#pause = pause
  }

  #startNext(): void {
    for (const picture of this.#waiting) {
      if (this.#pause || this.#loading.size >= AT_ONCE) return
      this.#waiting.delete(picture)
      this.#loading.add(picture)
      picture.start()
    }
  }
}

export const thumbnailQueue = new ThumbnailQueue()
