import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import { Refusal } from '../../platform/errors.ts'
import { admissionOf, whileArriving } from '../../reception/arriving.ts'
import { type FileRow, type ResumableRow, UnknownOutcome } from '../../store/rows.ts'
import { S3Error } from './errors.ts'
import type { S3Context } from './request.ts'

type Facts = NonNullable<FileRow['facts']>

/** Lifetime of an unfinished upload after its last part, and of a finished one's answer. */
export const LIFETIME_MS = 86_400_000
/** Maximum number of a part (S3 user guide, "Amazon S3 multipart upload limits"). */
export const MAX_PARTS = 10_000
const MAX_PART_BYTES = 5 * 1024 ** 3
/** Maximum unfinished uploads in parts of one account. */
const MAX_UPLOADS = 1000
/** Parts that are read at once. */
const SLICE_PARTS = 1000

/** Place of an object. */
export interface Place {
  folder: string
  name: string
}

/** Begins an upload in parts. @throws {Refusal} `too-many`, `unauthorized`, `forbidden`. */
export async function beginUpload(
  deps: S3Context,
  caller: Caller,
  { folder, name, visibility, facts }: Place & Pick<ResumableRow, 'visibility' | 'facts'>,
): Promise<ResumableRow> {
  const { store, clock, random } = deps
  const [id, now] = [random.id(), clock.now()]
  const row: ResumableRow = {
    ...{ id, folder, name, visibility, facts, metadata: '' },
    ...{ userId: caller.user.id, keyId: caller.via === 'key' ? caller.key.id : null },
    ...{ shareId: null, visitor: null, address: null, fileId: null, partOf: id, part: null },
    ...{ length: 0, received: 0, createdAt: now, expiresAt: now + LIFETIME_MS },
  }
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    if ((yield* store.resumables.inParts(row.userId, MAX_UPLOADS)).length === MAX_UPLOADS)
      throw new Refusal('too-many', `An account may have at most ${MAX_UPLOADS} unfinished multipart uploads`)
    yield* store.resumables.insert(row)
  })
  return row
}

/** Returns the unfinished uploads of an account, in the order in which they began. */
export const unfinishedUploads = ({ store }: S3Context, { user }: Caller) =>
  store.resumables.inParts(user.id, MAX_UPLOADS)

/** Returns an upload of the caller's account, finished ones included. @throws {S3Error} `NoSuchUpload`. */
export async function requireUpload(
  { store, clock }: S3Context,
  caller: Caller,
  { id, folder, name }: Place & { id: string },
): Promise<ResumableRow> {
  const row = await store.resumables.byId(id)
  const isIt = row?.partOf === id && row.userId === caller.user.id
  if (!row || !isIt || row.folder !== folder || row.name !== name || row.expiresAt <= clock.now())
    throw new S3Error('NoSuchUpload')
  return row
}

/** Returns all parts that have arrived, in the order of their numbers. */
export async function arrivedParts({ store }: S3Context, { id }: ResumableRow): Promise<ResumableRow[]> {
  const parts: ResumableRow[] = []
  for (;;) {
    const after = parts.at(-1)?.part ?? 0
    const slice = await store.resumables.partsOf(id, { after, limit: SLICE_PARTS })
    parts.push(...slice)
    if (slice.length < SLICE_PARTS) return parts
  }
}

/** Part whose bytes arrive. */
interface ArrivingPart {
  number: number
  size: number
  bytes: AsyncIterable<Uint8Array>
  /** Bytes of the object that the upload replaces. */
  freed: number
  /** Verifies the bytes and returns what is known about them. @throws {S3Error} */
  verify: () => Facts
}

/**
 * Receives a part, in the place of an earlier one with its number. Of parts that arrive at once, the last to be complete
 * stays.
 *
 * @throws {S3Error} `NoSuchUpload`, `EntityTooLarge`, `IncompleteBody`, what `verify` throws.
 */
export async function receivePart(
  deps: S3Context,
  caller: Caller,
  upload: ResumableRow,
  part: ArrivingPart,
): Promise<Facts> {
  const { store, clock, random } = deps
  const { number, size } = part
  const { maxUploadBytes } = store.settings.current()
  const others = await store.resumables.bytesInParts(upload.id, number)
  if (size > MAX_PART_BYTES || others + size > maxUploadBytes) throw new S3Error('EntityTooLarge')
  store.assertRoomForPartial(size)
  const row: ResumableRow = {
    ...upload,
    ...{ id: random.id(), partOf: upload.id, part: number, length: size, facts: null },
    // It ends with its upload.
    ...{ createdAt: clock.now(), expiresAt: Number.MAX_SAFE_INTEGER },
  }
  try {
    const { facts, replaced } = await receive(deps, caller, row, part)
    for (const id of replaced) await removeBytes(deps, id)
    deps.assemblies.advance(upload.id)
    return facts
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await store.transactToFree(() => store.resumables.remove(row.id))
    await removeBytes(deps, row.id)
    throw error
  }
}

async function receive(
  deps: S3Context,
  caller: Caller,
  row: ResumableRow,
  { number, size, bytes, freed, verify }: ArrivingPart,
): Promise<{ facts: Facts; replaced: string[] }> {
  const { store, clock } = deps
  const uploadId = row.partOf ?? ''
  const partial = await store.createPartial(row.id)
  await store.transact(() => store.resumables.insert(row))
  const admission = { length: size, ...admissionOf(deps, caller, () => freed), unchecked: 0 }
  return whileArriving(deps, admission, async (arriving) => {
    await partial.receive(arriving.through(bytes), {
      ...{ length: size, isAtomic: true, isPart: true },
      claim: store.createClaim(),
      onDurable: () => {},
      progressAt: (received) => {
        arriving.countedByRows(received)
        return { received, expiresAt: row.expiresAt }
      },
    })
    const { size: arrived } = partial
    partial.close()
    if (arrived !== size) throw new S3Error('IncompleteBody')
    const facts = verify()
    arriving.countedByRows(size)
    const expiresAt = clock.now() + LIFETIME_MS
    const replaced = await store.transact(function* () {
      yield* assertStillAllowed(deps, caller, 'files:write')
      return yield* store.resumables.addPart({ id: row.id, uploadId, part: number, size, facts, expiresAt })
    })
    if (!replaced) throw new S3Error('NoSuchUpload')
    return { facts, replaced }
  })
}

/** Ends an upload that was not completed, with its parts. */
export async function abortUpload(deps: S3Context, { id }: ResumableRow): Promise<void> {
  const { store } = deps
  const parts = await store.resumables.partIds(id)
  await store.transactToFree(() => store.resumables.remove(id))
  await removeParts(deps, id, parts)
}

/** Removes the bytes of parts that the catalog no longer knows. */
export async function removeParts(deps: S3Context, uploadId: string, ids: readonly string[]): Promise<void> {
  await deps.assemblies.end(uploadId)
  for (const id of ids) await removeBytes(deps, id)
}

async function removeBytes({ store, log }: S3Context, id: string): Promise<void> {
  const partial = await store.openPartial(id, 0)
  // The upload's outcome is final, so a leftover here must not turn it into a failure.
  await partial
    ?.remove()
    .catch((error) => log.error('A staged file could not be removed; the next start tries again', error))
}
