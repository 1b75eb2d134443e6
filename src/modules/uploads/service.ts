import { insertActivity } from '../../access/history.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { type Arriving, whileArriving } from '../../reception/arriving.ts'
import { declaredLength, isAbort } from '../../reception/receive.ts'
import { type Partial, tooLarge } from '../../store/bytes.ts'
import { type ResumableRow, refuseTakenOver, UnknownOutcome } from '../../store/rows.ts'
import { type Checksum, checked, readUntil } from './protocol.ts'
import type { UploadsContext } from './resumables.ts'
import type { Sender } from './sender.ts'

/** Lifetime of an unfinished upload after its last byte, and of a finished one's result. */
export const LIFETIME_MS = 86_400_000
/** Lifetime of an upload by a signed URL, from its beginning. */
export const SIGNED_MS = 3_600_000

/** Returns the time until which an unfinished upload may go on after bytes that arrive at `now`. */
const endOf = ({ shareId, visitor, createdAt }: ResumableRow, now: number): number =>
  shareId === null && visitor !== null ? createdAt + SIGNED_MS : now + LIFETIME_MS

/** Expired uploads removed per slice. */
const SLICE_UPLOADS = 250

/**
 * Returns the upload with this id if it is the sender's: of the same account, and begun with the same API key
 * or with any session; or of the same visitor of a share.
 *
 * @throws {Refusal} `not-found`, also for another sender's, for an expired one, and for one whose place is lost.
 */
export async function requireUpload(
  { store, clock }: UploadsContext,
  sender: Sender,
  id: string,
): Promise<ResumableRow> {
  const { identity } = sender
  const row = await store.resumables.byId(id)
  const isOwn =
    row?.userId === identity.userId &&
    row.partOf === null &&
    row.keyId === identity.keyId &&
    row.shareId === identity.shareId &&
    row.visitor === identity.visitor
  if (!row || !isOwn || row.expiresAt <= clock.now()) throw new Refusal('upload-not-found')
  await sender.assertReached(row)
  return row
}

/** Next piece of an upload. */
interface Piece {
  request: Request
  /** Offset of its first byte. */
  offset: number
  checksum: Checksum | undefined
  /** True when its client can continue after an interruption. */
  canGoOn: boolean
}

/**
 * Appends a piece to an upload, and publishes the file after the last. On failure the bytes that arrived are
 * retained, except those of a piece with a checksum, which counts as a whole.
 *
 * @throws {Refusal} `not-found`, `conflict` for another offset or when the name is taken, `too-large`,
 *   `no-space`, `checksum-mismatch`.
 */
export async function continueUpload(
  deps: UploadsContext,
  sender: Sender,
  id: string,
  piece: Piece,
): Promise<ResumableRow> {
  await requireUpload(deps, sender, id)
  return deps.resumables.alone(id, async (signal) => {
    const row = await requireUpload(deps, sender, id)
    if (piece.offset !== row.received)
      throw new Refusal(
        'offset-mismatch',
        `"Upload-Offset" must be ${row.received}: that many bytes have arrived`,
      )
    const announced = declaredLength(piece.request)
    if (announced > row.length - row.received)
      throw new Refusal('too-large', `The upload is longer than the ${row.length} bytes that were announced`)
    if (row.fileId !== null) return row
    assertLength(deps, row)
    await sender.assertPublishable(row)
    deps.store.assertRoomForPartial(announced)
    await receive(deps, { sender, row, piece, signal })
    return requireUpload(deps, sender, id)
  })
}

/** @throws {Refusal} `too-large` past the present limit of a file. */
export function assertLength({ store }: UploadsContext, { length }: { length: number }): void {
  const { maxUploadBytes } = store.settings.current()
  if (length > maxUploadBytes) throw tooLarge(maxUploadBytes)
}

interface Receiving {
  sender: Sender
  row: ResumableRow
  piece: Piece
  signal: AbortSignal
}

async function receive(deps: UploadsContext, { sender, row, piece, signal }: Receiving): Promise<void> {
  const { store, resumables } = deps
  const partial = await resumables.open(row.id, row.received)
  if (!partial) {
    const isThere = await store.transactToFree(function* () {
      yield* store.resumables.removeUnfinished(row.id)
      return (yield* store.resumables.byId(row.id)) !== undefined
    })
    // Another server has finished it meanwhile, and removed its pieces.
    throw isThere ? refuseTakenOver() : new Refusal('upload-not-found')
  }
  resumables.keep(row.id, partial)
  const attempt = { names: () => [row.name], toRefusal: refuseCut(signal), canGoOn: piece.canGoOn }
  await sender.recordFailure(attempt, async () => {
    try {
      const admission = { length: declaredLength(piece.request), ...(await sender.admission(row)) }
      await whileArriving(deps, admission, (arriving) =>
        partial.receive(
          begun(deps, row, bodyOf(arriving, piece, signal)),
          limitsOf(deps, { row, piece, arriving }),
        ),
      )
      if (partial.size === row.length) await finish(deps, sender, { row, partial })
    } catch (error) {
      // Only recovery can tell the outcome.
      if (!(error instanceof UnknownOutcome)) await saveProgress(deps, row, partial)
      throw error
    }
    if (partial.size < row.length) await saveProgress(deps, row, partial)
  })
}

function bodyOf(
  arriving: Arriving,
  { request, checksum }: Piece,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const body = arriving.through(readUntil(request, signal))
  return checksum ? checked(body, checksum) : body
}

/** Passes on the bytes of a piece. The first byte of an upload that expires soon gives it its whole lifetime. */
async function* begun(
  deps: UploadsContext,
  row: ResumableRow,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let isEmpty = row.received === 0 && row.expiresAt - row.createdAt < LIFETIME_MS
  for await (const chunk of bytes) {
    if (isEmpty) await advance(deps, row, 0)
    isEmpty = false
    yield chunk
  }
}

const limitsOf = (
  deps: UploadsContext,
  { row, piece, arriving }: { row: ResumableRow; piece: Piece; arriving: Arriving },
) => ({
  length: row.length,
  claim: deps.store.createClaim(),
  isAtomic: piece.checksum !== undefined,
  progressAt: (size: number) => {
    const progress = progressAt(deps, row, size)
    arriving.countedByRows(progress.received - row.received)
    return progress
  },
  onDurable: (size: number) => {
    arriving.countedByRows(size - row.received)
    advance(deps, row, size).catch((error) =>
      deps.log.error('The progress of an upload could not be saved', error),
    )
  },
})

/** Returns the refusal of an interrupted body in terms of the request. */
const refuseCut = (signal: AbortSignal) => (error: unknown) => {
  if (!isAbort(error)) return error
  return signal.aborted ? refuseTakenOver() : refuseInvalid('The upload was interrupted')
}

async function saveProgress(deps: UploadsContext, row: ResumableRow, partial: Partial): Promise<void> {
  partial.retreat(Math.max(row.length - 1, 0))
  if (partial.size > row.received) await advance(deps, row, partial.size)
}

/**
 * Returns the record of how much has arrived, so that another process can continue. The last byte is recorded only with
 * the file: a client would take a full upload for finished, so it has to send that byte again.
 */
const progressAt = ({ clock }: UploadsContext, row: ResumableRow, size: number) => ({
  received: Math.min(size, row.length - 1),
  expiresAt: endOf(row, clock.now()),
})

function advance(deps: UploadsContext, row: ResumableRow, size: number): Promise<void> {
  const { store } = deps
  return store.transact(() => store.resumables.advance(row.id, progressAt(deps, row, size)))
}

/**
 * Publishes a complete upload.
 *
 * @throws {Refusal} `unauthorized` or `forbidden` when the sender lost its rights, `conflict`, `no-space`.
 */
export async function finish(
  { clock, resumables }: UploadsContext,
  sender: Sender,
  { row, partial }: { row: ResumableRow; partial: Partial },
): Promise<void> {
  const staged = await partial.complete()
  await sender.publish({ row, staged, recorded: partial.recorded, expiresAt: clock.now() + LIFETIME_MS })
  await resumables.remove(row.id)
}

/** Ends an upload and removes its bytes. The file of a finished one stays. */
export async function endUpload(deps: UploadsContext, sender: Sender, id: string): Promise<void> {
  await requireUpload(deps, sender, id)
  return deps.resumables.alone(id, async () =>
    removeCanceled(deps, await requireUpload(deps, sender, id), null),
  )
}

/** Removes an upload without a trace. */
export async function forgetUpload({ store, resumables }: UploadsContext, id: string): Promise<void> {
  await store.transactToFree(() => store.resumables.remove(id))
  await resumables.remove(id)
}

/** Removes uploads that were not continued in time, and those whose account, API key or share has ended. */
export async function removeExpiredUploads(deps: UploadsContext): Promise<void> {
  const { store, clock, resumables } = deps
  for (const { id } of await store.resumables.abandoned(clock.now(), SLICE_UPLOADS))
    await resumables.alone(id, async () => {
      const row = await store.resumables.byId(id)
      if (row?.fileId === null) await removeCanceled(deps, row, 'Its account or API key has ended')
    })
  for (const { id } of await store.resumables.expired(clock.now(), SLICE_UPLOADS)) {
    if (resumables.isBusy(id)) continue
    await resumables.alone(id, async () => {
      const row = await store.resumables.byId(id)
      if (row && row.expiresAt <= clock.now())
        await removeCanceled(deps, row, 'It was not finished within a day')
    })
  }
}

async function removeCanceled(
  deps: UploadsContext,
  { id, userId, visitor, name, fileId, partOf }: ResumableRow,
  why: string | null,
) {
  const parts = partOf === id ? await deps.store.resumables.partIds(id) : []
  await deps.store.transactToFree(function* () {
    yield* deps.store.resumables.remove(id)
    // Its upload has the entry.
    if (partOf !== null && partOf !== id) return
    // Strangers write nothing into the history of an account by what they give up.
    if (fileId === null && visitor === null && (yield* deps.store.users.byId(userId)))
      yield* insertActivity(deps, { userId, type: 'upload.canceled', target: name, detail: why })
  })
  for (const one of [id, ...parts]) await deps.resumables.remove(one)
}
