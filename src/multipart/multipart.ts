import { malformedBody } from './error.ts'
import { type MultipartLimits, type PartEvent, Splitter } from './splitter.ts'

/**
 * Part of a multipart/form-data body (RFC 7578). It is a file when it has a filename.
 *
 * `body` can be read once. Requesting the next part discards the rest of it. Its bytes are those sent: a
 * Content-Transfer-Encoding, which RFC 7578 §4.7 deprecates, is not decoded.
 */
export interface Part {
  /** Name of the form field. May be empty. */
  name: string
  /** Whole file name, path included if one was sent; `''` when sent empty. */
  filename: string | undefined
  body: AsyncIterable<Uint8Array>
}

/**
 * Reads the parts of a multipart/form-data body as they arrive.
 *
 * A chunk is consumed before the next is read from `body`, so that memory holds a single chunk. Bytes before the first
 * boundary and after the closing one are ignored, but `body` is read to its end: the parts are complete when the
 * generator is.
 *
 * An error of `body` or of the reader ends both the generator and the body of the current part. If the reader or its
 * caller stops early, the `return()` of the iterator of `body` is called.
 *
 * @param boundary Result of `multipartBoundary()`.
 * @throws {MultipartError} If the body is malformed, ends before its closing boundary or exceeds a limit;
 * for too many parts it is a `TooManyPartsError`.
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void> {
  const reader = new PartReader(splitBody(body, boundary, limits))
  try {
    for (let part = await reader.next(); part !== undefined; part = await reader.next()) yield part
  } finally {
    await reader.close()
  }
}

async function* splitBody(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<PartEvent, void> {
  const splitter = new Splitter(boundary, limits)
  for await (const chunk of body) {
    yield* splitter.split(chunk)
  }
  if (!splitter.closed) throw malformedBody('it ends before the closing boundary')
}

/** Groups events into parts. The reader of a part's body pulls events, as does the search for the next part. */
class PartReader {
  readonly #events: AsyncGenerator<PartEvent, void>
  /** Part whose body has not ended. */
  #current: Part | undefined
  #failure: { error: unknown } | undefined

  constructor(events: AsyncGenerator<PartEvent, void>) {
    this.#events = events
  }

  /** Skips the rest of the current part and returns the next, `undefined` after the last. */
  async next(): Promise<Part | undefined> {
    this.#current = undefined
    for (let event = await this.#pull(); event !== undefined; event = await this.#pull()) {
      if (event.type !== 'part') continue
      const part: Part = { ...event.disposition, body: this.#read(() => this.#current === part) }
      this.#current = part
      return part
    }
    return undefined
  }

  async close(): Promise<void> {
    this.#current = undefined
    await this.#events.return()
  }

  async *#read(isCurrent: () => boolean): AsyncGenerator<Uint8Array, void> {
    while (isCurrent()) {
      const event = await this.#pull()
      if (event === undefined) break
      if (event.type === 'data') yield event.bytes
      else if (isCurrent()) return
    }
    // Returning would make a body that is read too late look complete.
    throw this.#failure?.error ?? new Error('Cannot read part: the reader has moved past it')
  }

  /** Returns the next event. After a failure every call throws it again. */
  async #pull(): Promise<PartEvent | undefined> {
    if (this.#failure !== undefined) throw this.#failure.error
    try {
      const { value } = await this.#events.next()
      return value ?? undefined
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}
