import { type Release, Slots } from '../../platform/slots.ts'
import type { OpenedFile } from '../../store/bytes.ts'
import type { ArchivedFile } from './archive.ts'

/** Blobs that one archive opens while one before them is sent: half of those that the store fetches at a time. */
const OPENED_AHEAD = 8
/** Blobs that all archives together open ahead. Their clients may be slow, and each blob holds a descriptor. */
const ALL_OPENED_AHEAD = 64

type Opening = Promise<OpenedFile | undefined>

/** Creates the places of blobs that archives open ahead, which all archives share. */
export const createPlacesAhead = () =>
  new Slots({ count: ALL_OPENED_AHEAD, maxWaiting: 0, maxWaitMs: 0, busy: 'No place ahead' })

/**
 * Opens the files of an archive one after the other, and blobs before it is their turn while there are places: an
 * object store takes many requests at once, but may be slow to respond to each.
 */
export class OpenAhead implements Disposable {
  readonly #places: Slots
  readonly #open: (file: ArchivedFile) => Opening
  /** Blobs that are not opened yet, in their order. */
  readonly #due: ArchivedFile[]
  readonly #opened = new Map<string, { opening: Opening; release: Release }>()

  constructor(files: readonly ArchivedFile[], places: Slots, open: (file: ArchivedFile) => Opening) {
    this.#places = places
    this.#open = open
    this.#due = files.filter(({ blobId }) => blobId !== null)
  }

  /** Opens a file. The caller opens the files in their order. */
  open(file: ArchivedFile): Opening {
    if (this.#due[0] === file) this.#due.shift()
    const opened = this.#opened.get(file.id)
    this.#opened.delete(file.id)
    opened?.release()
    const opening = opened?.opening ?? this.#open(file)
    this.#openNext()
    return opening
  }

  #openNext(): void {
    while (this.#opened.size < OPENED_AHEAD) {
      const [next] = this.#due
      const release = next && this.#places.tryTake()
      if (!release) return
      this.#due.shift()
      const opening = this.#open(next)
      // The call that takes it gets the error.
      opening.catch(() => {})
      this.#opened.set(next.id, { opening, release })
    }
  }

  /** Closes what was opened and not taken. */
  [Symbol.dispose](): void {
    this.#due.length = 0
    for (const { opening, release } of this.#opened.values())
      opening.then((opened) => opened?.close()).then(release, release)
    this.#opened.clear()
  }
}
