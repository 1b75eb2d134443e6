import type { Download, Downloads } from './downloads.ts'
import type { Visit } from './visits.ts'

/** Time between two records of the progress of a response. */
const RECORD_MS = 2000

interface Part {
  visit: Visit
  download: Download
  /** Position of the first byte of the response, and the number of its bytes. */
  first: number
  length: number
}

/** Response with bytes of a download. It keeps its place while bytes are sent, and tells the owner that it began. */
export class Sending {
  readonly #downloads: Downloads
  readonly #part: Part
  #sentAt = 0
  #recordedAt = 0
  #passedOn = 0
  #isNoted = false

  constructor(downloads: Downloads, part: Part) {
    this.#downloads = downloads
    this.#part = part
  }

  /** Takes the place, or keeps it. @throws {Refusal} `not-found`, `share-busy`. */
  async begin(): Promise<void> {
    this.#sentAt = this.#downloads.now()
    this.#recordedAt = this.#sentAt
    await this.#downloads.takePlace(this.#part.visit, this.#part.download)
  }

  /** Passes on a body. It breaks when its place was given back meanwhile, and others have taken all. */
  follow(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            await this.#advance()
            const { value, done } = await reader.read()
            if (done) return controller.close()
            this.#passedOn += value.length
            controller.enqueue(value)
          } catch (error) {
            await reader.cancel().catch(() => {})
            throw error
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  /** Counts the bytes that were delivered when the response has ended. */
  delivered(bytes: number): void {
    const { visit, download, first, length } = this.#part
    if (bytes >= length) this.#sentAt = this.#downloads.now()
    this.#downloads.delivered(visit, download, { first, bytes, sentAt: this.#sentAt })
  }

  /** Notes that the bytes which were passed on are sent: the next ones are wanted. */
  async #advance(): Promise<void> {
    const { visit, download, length } = this.#part
    if (this.#passedOn === 0 || this.#passedOn >= length) return
    this.#sentAt = this.#downloads.now()
    if (!this.#isNoted) this.#downloads.started(visit, download)
    this.#isNoted = true
    if (this.#sentAt - this.#recordedAt < RECORD_MS) return
    this.#recordedAt = this.#sentAt
    await this.#downloads.takePlace(visit, download)
  }
}
