import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import { Refusal } from '../../platform/errors.ts'
import { assertName, parseFolderKey } from '../../platform/names.ts'
import { tooLarge } from '../../store/bytes.ts'
import type { ResumableRow, Work } from '../../store/rows.ts'
import { UnknownOutcome } from '../../store/rows.ts'
import { recordFailure } from '../files/receive.ts'
import { locateFile } from '../files/service.ts'
import { lastComponent, readVisibility } from '../files/upload.ts'
import type { UploadsContext } from './context.ts'
import { assertNoConcatenation, isPiece, readChecksum, readCount, readMetadata } from './protocol.ts'
import { assertPublishable } from './replacement.ts'
import { continueUpload, finish, forgetUpload, keyIdOf, LIFETIME_MS, requireUpload } from './service.ts'

/** Maximum unfinished uploads of one account. */
const MAX_UNFINISHED = 1000

/** Client's description of a new upload. */
type Announcement = Pick<ResumableRow, 'name' | 'folder' | 'visibility' | 'metadata' | 'length'>

/**
 * Begins a resumable upload (extension Creation), with its first piece if the request has one. An empty
 * upload is finished at once. Reasons against publishing it are reported now, not at its end.
 *
 * @throws {Refusal} `invalid`, `conflict`, `too_large`, `no_space`.
 */
export async function beginUpload(
  deps: UploadsContext,
  caller: Caller,
  request: Request,
): Promise<ResumableRow> {
  let announced: Announcement | undefined
  const names = () => (announced ? [announced.name] : [])
  const row = await recordFailure(deps, { caller, names, toRefusal: (error) => error }, async () => {
    announced = await readAnnouncement(deps, request.headers)
    await assertPossible(deps, caller, announced)
    return create(deps, caller, announced)
  })
  if (row.length === 0 || !isPiece(request.headers)) return requireUpload(deps, caller, row.id)
  try {
    const checksum = readChecksum(request.headers)
    const piece = { request, offset: 0, checksum, canGoOn: false }
    return await continueUpload(deps, caller, row.id, piece)
  } catch (error) {
    // Its client does not know the id and cannot continue it.
    if (!(error instanceof UnknownOutcome)) await forgetUpload(deps, row.id)
    throw error
  }
}

/** @throws {Refusal} `invalid`, `not_found` when the file to replace does not exist. */
async function readAnnouncement(deps: UploadsContext, headers: Headers): Promise<Announcement> {
  assertNoConcatenation(headers)
  const sent = headers.get('upload-metadata') ?? ''
  const metadata = readMetadata(sent)
  const length = readCount(headers, 'Upload-Length')
  const id = metadata.get('replaces')
  if (id !== undefined) {
    const { row } = await locateFile(deps, { id })
    return { name: row.name, folder: '', visibility: null, metadata: sent, length }
  }
  const name = lastComponent(metadata.get('filename') ?? metadata.get('name') ?? '')
  assertName(name, 'The file name in "Upload-Metadata"')
  return {
    name,
    folder: parseFolderKey(metadata.get('folder') ?? '').join('/'),
    visibility: readVisibility(metadata.get('visibility')) ?? null,
    metadata: sent,
    length,
  }
}

async function assertPossible(deps: UploadsContext, caller: Caller, announced: Announcement): Promise<void> {
  const { store } = deps
  const { maxUploadBytes } = store.settings.current()
  if (announced.length > maxUploadBytes) throw tooLarge(maxUploadBytes)
  await store.read(() => assertFewUnfinished(deps, caller))
  await assertPublishable(deps, announced)
  store.assertRoomForPartial(announced.length)
}

function* assertFewUnfinished({ store }: UploadsContext, { user }: Caller): Work<void> {
  if ((yield* store.resumables.countUnfinished(user.id)) >= MAX_UNFINISHED)
    throw new Refusal('too_large', `An account may have at most ${MAX_UNFINISHED} unfinished uploads`)
}

async function create(deps: UploadsContext, caller: Caller, announced: Announcement): Promise<ResumableRow> {
  const { store, clock, random, resumables } = deps
  const now = clock.now()
  const row: ResumableRow = {
    ...announced,
    id: random.id(),
    userId: caller.user.id,
    keyId: keyIdOf(caller),
    received: 0,
    fileId: null,
    createdAt: now,
    expiresAt: now + LIFETIME_MS,
  }
  const partial = await store.createPartial(row.id)
  resumables.keep(row.id, partial)
  try {
    await store.transact(function* () {
      yield* assertStillAllowed(deps, caller, 'files:write')
      yield* assertFewUnfinished(deps, caller)
      yield* store.resumables.insert(row)
    })
    if (row.length === 0) await finish(deps, { caller, row, partial })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await forgetUpload(deps, row.id)
    throw error
  }
  return row
}
