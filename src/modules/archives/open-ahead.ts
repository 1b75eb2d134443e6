import type { OpenedFile } from '../../store/bytes.ts'
import type { ArchivedFile } from './archive.ts'

/** Blobs that are opened while one before them is sent. */
const OPENED_AHEAD = 16

type Opening = Promise<OpenedFile | undefined>

/**
 * Opens the files of an archive one after the other, and blobs before it is their turn: an object store takes many
 * requests at once, but may be slow to respond to each.
 */
export class OpenAhead implements Disposable {
  readonly #open: (file: ArchivedFile) => Opening
  /** Blobs that are not opened yet, in their order. */
  readonly #due: ArchivedFile[]
  readonly #opened = new Map<string, Opening>()

  constructor(files: readonly ArchivedFile[], open: (file: ArchivedFile) => Opening) {
    this.#open = open
    this.#due = files.filter(({ blobId }) => blobId !== null)
  }

  /** Opens a file. The caller opens the files in their order. */
  open(file: ArchivedFile): Opening {
    for (const next of this.#due.splice(0, OPENED_AHEAD - this.#opened.size)) {
      const opening = this.#open(next)
      // The call that takes it gets the error.
      opening.catch(() => {})
      this.#opened.set(next.id, opening)
    }
    const opened = this.#opened.get(file.id)
    this.#opened.delete(file.id)
    return opened ?? this.#open(file)
  }

  /** Closes what was opened and not taken. */
  [Symbol.dispose](): void {
    this.#due.length = 0
    for (const opening of this.#opened.values())
      opening.then(
        (opened) => opened?.close(),
        () => {},
      )
    this.#opened.clear()
  }
}
