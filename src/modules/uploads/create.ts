import { type ResumableRow, UnknownOutcome } from '../../store/rows.ts'
import { assertNoConcatenation, isPiece, readChecksum, readCount, readMetadata } from './protocol.ts'
import { freedBy } from './replacement.ts'
import type { UploadsContext } from './resumables.ts'
import type { Announcement, Sender } from './sender.ts'
import { assertLength, continueUpload, finish, forgetUpload, requireUpload } from './service.ts'

/**
 * Begins a resumable upload (extension Creation), with its first piece if the request has one. An empty
 * upload is finished at once. Reasons against publishing it are reported now, not at its end.
 *
 * @throws {Refusal} `invalid`, `conflict`, `too-large`, `no-space`.
 */
export async function beginUpload(
  deps: UploadsContext,
  sender: Sender,
  request: Request,
): Promise<ResumableRow> {
  let announced: Announcement | undefined
  const names = () => (announced ? [announced.name] : [])
  const attempt = { names, toRefusal: (error: unknown) => error, canGoOn: false }
  const row = await sender.recordFailure(attempt, async () => {
    announced = await readAnnouncement(sender, request.headers)
    await assertPossible(deps, sender, announced)
    return create(deps, sender, announced)
  })
  if (row.length === 0 || !isPiece(request.headers)) return requireUpload(deps, sender, row.id)
  try {
    const checksum = readChecksum(request.headers)
    const piece = { request, offset: 0, checksum, canGoOn: false }
    return await continueUpload(deps, sender, row.id, piece)
  } catch (error) {
    // Its client does not know the id and cannot continue it.
    if (!(error instanceof UnknownOutcome)) await forgetUpload(deps, row.id)
    throw error
  }
}

async function readAnnouncement(sender: Sender, headers: Headers): Promise<Announcement> {
  assertNoConcatenation(headers)
  const metadata = headers.get('upload-metadata') ?? ''
  const described = await sender.announce(readMetadata(metadata))
  return { ...described, metadata, length: readCount(headers, 'Upload-Length') }
}

async function assertPossible(deps: UploadsContext, sender: Sender, announced: Announcement): Promise<void> {
  const { store } = deps
  assertLength(deps, announced)
  await sender.assertPublishable(announced)
  await assertQuota(deps, sender, announced)
  store.assertRoomForPartial(announced.length)
}

/** Refuses an upload that its account has no room for. */
async function assertQuota(
  deps: UploadsContext,
  { identity: { userId, shareId } }: Sender,
  announced: Announcement,
): Promise<void> {
  const bytes = announced.length - (await freedBy(deps, announced))
  await deps.store.quotas.assertRoom({ userId, bytes, isOfVisitors: shareId !== null })
}

async function create(deps: UploadsContext, sender: Sender, announced: Announcement): Promise<ResumableRow> {
  const { store, clock, random, resumables } = deps
  const now = clock.now()
  const row: ResumableRow = {
    ...announced,
    ...sender.identity,
    id: random.id(),
    received: 0,
    fileId: null,
    partOf: null,
    part: null,
    facts: null,
    createdAt: now,
    expiresAt: now + sender.patienceMs,
  }
  const partial = await store.createPartial(row.id)
  resumables.keep(row.id, partial)
  try {
    await store.transact(function* () {
      yield* sender.authorize(announced)
      yield* store.resumables.insert(row)
    })
    if (row.length === 0) await finish(deps, sender, { row, partial })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await forgetUpload(deps, row.id)
    throw error
  }
  return row
}
