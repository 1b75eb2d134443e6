import type { StagedBlob } from '../../blobs/blobs.ts'
import type { PieceQueries, PieceRow } from '../../catalog/postgres/pieces.ts'
import { refuseGivenUp } from '../../catalog/publication.ts'
import type { Work } from '../../catalog/query.ts'
import { Refusal, refuseConflict, refuseNotFound } from '../../platform/errors.ts'
import type { PartialLimits } from '../../volume/partial-file.ts'
import type { Partial, StagedFile } from '../staged.ts'
import { Cut } from './cut.ts'
import { type ObjectDeps, release } from './deps.ts'
import { ObjectStaging } from './staging.ts'

/** Maximum bytes of a piece: what a server that dies has received since the last one is sent again. */
const PIECE_BYTES = 16 * 1024 ** 2
/** Pieces that a sweep looks at. */
const LEFT_PIECES = 1000

/** Services of uploads that any server can continue. */
export interface SharedDeps extends ObjectDeps {
  pieces: PieceQueries
}

const endOf = (pieces: readonly PieceRow[]) => {
  const last = pieces.at(-1)
  return last ? last.first + last.size : 0
}

/**
 * Upload in pieces that any server can continue: each piece is a blob, and its row is inserted only behind the piece
 * that it follows. Of two servers that receive at the same time, one is refused.
 */
export class SharedPartial implements Partial {
  readonly #deps: SharedDeps
  readonly #id: string
  #size: number
  /** Whole upload that has arrived as one piece, which no row refers to yet. */
  #whole: { blob: StagedBlob; staging: ObjectStaging } | undefined
  #staging: ObjectStaging | undefined

  constructor(deps: SharedDeps, id: string, size: number) {
    this.#deps = deps
    this.#id = id
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  async receive(bytes: AsyncIterable<Uint8Array>, limits: PartialLimits): Promise<void> {
    const { pieces, random } = this.#deps
    const known = await pieces.ofUpload(this.#id)
    if (this.#size > endOf(known)) throw refuseNotFound('Upload not found')
    const staging = await ObjectStaging.create(this.#deps, random.id())
    const cut = new Cut(bytes)
    try {
      await this.#receive(cut, staging, { ...limits, end: endOf(known) })
    } finally {
      await cut.end()
      if (this.#whole?.staging !== staging) await staging.discard()
    }
  }

  async #receive(cut: Cut, staging: ObjectStaging, limits: PartialLimits & { end: number }): Promise<void> {
    const { length, claim, isAtomic, onDurable } = limits
    const unsaved: StagedBlob[] = []
    let { end } = limits
    let arrived = this.#size
    while (await cut.hasMore()) {
      if (arrived === length) throw moreThan(length)
      const maxBytes = Math.min(PIECE_BYTES, length - arrived)
      const blob = await staging.receive(cut.piece(maxBytes), { maxBytes, claim })
      await staging.sync()
      unsaved.push(blob)
      arrived += blob.size
      const isWhole = blob.size === length && !(await cut.hasMore())
      if (isWhole) {
        cut.assertWhole()
        this.#whole = { blob, staging }
      } else if (!isAtomic) {
        end = await this.#save(unsaved.splice(0), end)
        this.#size = arrived
        onDurable(arrived)
      }
    }
    cut.assertWhole()
    if (isAtomic && !this.#whole) await this.#save(unsaved, end)
    this.#size = arrived
  }

  /** Inserts the rows of pieces that follow the first `size` bytes, and returns where they end. */
  async #save(blobs: readonly StagedBlob[], end: number): Promise<number> {
    const deps = this.#deps
    const { catalog, pieces } = deps
    const [id, size] = [this.#id, this.#size]
    return await catalog.transact(function* () {
      const [row, known] = [yield* catalog.resumables.byId(id), yield* pieces.ofUpload(id)]
      if (!row || row.fileId !== null) throw refuseNotFound('Upload not found')
      if (endOf(known) !== end) throw refuseConflict('Another request has taken over this upload')
      yield* pieces.removeFrom(id, size)
      yield* release(
        deps,
        known.filter(({ first }) => first >= size),
      )
      let first = size
      for (const blob of blobs) {
        if (!(yield* catalog.blobs.keep(blob.id, blob.size))) throw refuseGivenUp()
        yield* pieces.insert({ uploadId: id, first, size: blob.size, blobId: blob.id })
        first += blob.size
      }
      return first
    })
  }

  retreat(size: number): void {
    if (size >= this.#size) return
    this.#size = this.#whole ? 0 : size
    this.#discard()
  }

  async complete(): Promise<StagedFile> {
    if (this.#whole) return this.#whole.blob
    const { pieces, random } = this.#deps
    await this.#staging?.discard()
    this.#staging = await ObjectStaging.create(this.#deps, random.id())
    const parts = this.#read(await pieces.ofUpload(this.#id))
    const staged = await this.#staging.receive(parts, { maxBytes: this.#size, claim: () => {} })
    await this.#staging.sync()
    if (staged.size !== this.#size) throw new Error('Pieces of an upload are missing')
    return staged
  }

  async *#read(pieces: readonly PieceRow[]): AsyncGenerator<Uint8Array, void> {
    for (const [index, { first, size, blobId }] of pieces.entries()) {
      const opened = await this.#deps.blobs.open({ id: blobId, size })
      if (!opened) throw new Error('A piece of an upload is gone')
      let left = Math.min(first + size, pieces[index + 1]?.first ?? this.#size) - first
      for await (const chunk of opened.chunks()) {
        const part = chunk.length > left ? chunk.slice(0, Math.max(0, left)) : chunk
        left -= part.length
        yield part
        if (left <= 0) break
      }
    }
  }

  close(): void {
    this.#discard()
  }

  async remove(): Promise<void> {
    this.#discard()
    await this.#deps.catalog.transactToFree(() => removePieces(this.#deps, this.#id))
  }

  /** Gives up what no row refers to. */
  #discard(): void {
    for (const staging of [this.#whole?.staging, this.#staging])
      void staging
        ?.discard()
        .catch((error) => this.#deps.log.error('Staged files could not be removed', error))
    this.#whole = undefined
    this.#staging = undefined
  }
}

const moreThan = (length: number) =>
  new Refusal('too_large', `The upload is longer than the ${length} bytes that were announced`)

function* removePieces(deps: SharedDeps, uploadId: string): Work<void> {
  const { pieces } = deps
  const known = yield* pieces.ofUpload(uploadId)
  yield* pieces.removeFrom(uploadId, 0)
  yield* release(deps, known)
}

/** Removes pieces of uploads that are gone, whose server died before it had removed them. */
export async function removeLeftPieces(deps: ObjectDeps): Promise<void> {
  const { pieces } = deps.catalog
  if (!pieces) return
  const left = await pieces.left(LEFT_PIECES)
  for (const id of new Set(left.map(({ uploadId }) => uploadId)))
    await deps.catalog.transactToFree(() => removePieces({ ...deps, pieces }, id))
}
