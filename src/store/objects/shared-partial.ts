import type { StagedBlob } from '../../blobs/blobs.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { PieceQueries, PieceRow } from '../../catalog/postgres/pieces.ts'
import { refuseGivenUp } from '../../catalog/publication.ts'
import { refuseTakenOver } from '../../catalog/shares/resumables.ts'
import { Refusal } from '../../platform/errors.ts'
import type { StagedFile } from '../content.ts'
import type { Partial } from '../engine.ts'
import { type ObjectDeps, release } from './deps.ts'
import { ObjectStaging } from './staging.ts'

/** Maximum bytes of a piece: what a server that dies has received since the last one is sent again. */
const PIECE_BYTES = 16 * 1024 ** 2
/** Pieces that a sweep looks at. */
const LEFT_PIECES = 1000

/** Services of uploads that any server can continue. */
interface SharedDeps extends ObjectDeps {
  pieces: PieceQueries
}

const endOf = (pieces: readonly PieceRow[]) => {
  const last = pieces.at(-1)
  return last ? last.first + last.size : 0
}

type ReceiveLimits = Parameters<Partial['receive']>[1]

/**
 * Upload in pieces that any server can continue: each piece is a blob. Its row is inserted in the transaction that
 * records the progress, and only if that is what this piece follows. Of servers that receive the same bytes, the first
 * to have them all is acknowledged; the others are refused.
 */
export class SharedPartial implements Partial {
  readonly #deps: SharedDeps
  readonly #id: string
  #size: number
  /** Pieces of the first `#size` bytes, once this server has added to them. Another may replace the last. */
  #pieces: readonly PieceRow[] = []
  #recorded: number
  /** Whole upload that has arrived as one piece, which no row refers to yet. */
  #whole: { blob: StagedBlob; staging: ObjectStaging } | undefined
  #staging: ObjectStaging | undefined

  constructor(deps: SharedDeps, id: string, size: number) {
    this.#deps = deps
    this.#id = id
    this.#size = size
    this.#recorded = size
  }

  /** Opens an upload to continue after its first `size` bytes; `undefined` when it has fewer. */
  static async open(deps: SharedDeps, id: string, size: number): Promise<SharedPartial | undefined> {
    const isThere = size === 0 || endOf(await deps.pieces.ofUpload(id)) >= size
    return isThere ? new SharedPartial(deps, id, size) : undefined
  }

  get size(): number {
    return this.#size
  }

  get recorded(): number {
    return this.#recorded
  }

  async receive(bytes: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<void> {
    const staging = await ObjectStaging.create(this.#deps, this.#deps.random.id())
    const cut = new Cut(bytes)
    try {
      await this.#receive(cut, staging, limits)
    } finally {
      await cut.end()
      if (this.#whole?.staging !== staging) await staging.discard()
    }
  }

  async #receive(cut: Cut, staging: ObjectStaging, limits: ReceiveLimits): Promise<void> {
    const { length, claim, isAtomic, isPart = false } = limits
    const unsaved: StagedBlob[] = []
    let arrived = this.#size
    while (await cut.hasMore()) {
      if (arrived === length) throw moreThan(length)
      const maxBytes = Math.min(PIECE_BYTES, length - arrived)
      const blob = await staging.receive(cut.piece(maxBytes), { maxBytes, claim })
      await staging.sync()
      unsaved.push(blob)
      arrived += blob.size
      const isWhole = blob.size === length && !isPart && !(await cut.hasMore())
      if (isWhole) {
        cut.assertWhole()
        this.#whole = { blob, staging }
      } else if (!isAtomic) {
        await this.#save(unsaved.splice(0), limits)
      }
    }
    cut.assertWhole()
    if (isAtomic && !this.#whole) await this.#save(unsaved, limits)
    this.#size = arrived
  }

  /** Inserts the rows of pieces that follow the first `#size` bytes, and records that they have arrived. */
  async #save(blobs: readonly StagedBlob[], { progressAt }: ReceiveLimits): Promise<void> {
    const deps = this.#deps
    const { catalog, pieces } = deps
    const [uploadId, size] = [this.#id, this.#size]
    const added: PieceRow[] = []
    let end = size
    for (const blob of blobs) {
      added.push({ uploadId, first: end, size: blob.size, blobId: blob.id })
      end += blob.size
    }
    const progress = progressAt(end)
    const before = await catalog.transact(function* () {
      if (!(yield* catalog.resumables.advanceFrom(uploadId, size, progress)))
        throw (yield* catalog.resumables.byId(uploadId)) ? refuseTakenOver() : new Refusal('upload-not-found')
      const known = yield* pieces.ofUpload(uploadId)
      if (endOf(known) < size) throw new Refusal('upload-not-found')
      yield* pieces.removeFrom(uploadId, size)
      yield* release(
        deps,
        known.filter(({ first }) => first >= size),
      )
      for (const piece of added) {
        if (!(yield* catalog.blobs.keep(piece.blobId, piece.size))) throw refuseGivenUp()
        yield* pieces.insert(piece)
      }
      return known.filter(({ first }) => first < size)
    })
    this.#pieces = [...before, ...added]
    this.#size = end
    this.#recorded = progress.received
  }

  retreat(size: number): void {
    if (size >= this.#size) return
    this.#size = this.#whole ? 0 : size
    this.#discard()
  }

  async complete(): Promise<StagedFile> {
    if (this.#whole) return this.#whole.blob
    await this.#staging?.discard()
    this.#staging = await ObjectStaging.create(this.#deps, this.#deps.random.id())
    const staged = await this.#staging.receive(this.read(), { maxBytes: this.#size, claim: () => {} })
    await this.#staging.sync()
    if (staged.size !== this.#size) throw new Error('Pieces of an upload are missing')
    return staged
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    // Another server may have received them.
    const isKnown = endOf(this.#pieces) >= this.#size
    const pieces = isKnown ? this.#pieces : await this.#deps.pieces.ofUpload(this.#id)
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
  new Refusal('too-large', `The upload is longer than the ${length} bytes that were announced`)

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

/** Bytes that arrive, cut into pieces. A failure of their source ends the last piece, and is kept. */
export class Cut {
  readonly #source: AsyncIterator<Uint8Array>
  #next: Uint8Array | undefined
  #failure: { error: unknown } | undefined

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns true when there are more bytes. */
  async hasMore(): Promise<boolean> {
    while (!this.#next && !this.#failure) {
      try {
        const { value, done } = await this.#source.next()
        if (done) break
        if (value.length > 0) this.#next = value
      } catch (error) {
        this.#failure = { error }
      }
    }
    return this.#next !== undefined
  }

  /** Yields at most `bytes` more bytes. */
  async *piece(bytes: number): AsyncGenerator<Uint8Array, void> {
    for (let left = bytes; left > 0 && (await this.hasMore()); ) {
      const chunk = this.#next ?? new Uint8Array()
      const isLonger = chunk.length > left
      // A copy, because the receiver may free the memory of what it gets.
      this.#next = isLonger ? new Uint8Array(chunk.subarray(left)) : undefined
      const part = chunk.subarray(0, left)
      left -= part.length
      yield part
    }
  }

  /** @throws the failure of the source. */
  assertWhole(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** Ends the source. */
  async end(): Promise<void> {
    await this.#source.return?.()
  }
}
