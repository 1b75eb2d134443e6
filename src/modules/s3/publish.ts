import { assertStillAllowed } from '../../access/caller.ts'
import { namesEntityTag, strongMatch } from '../../http/conditional.ts'
import { isRefused } from '../../platform/errors.ts'
import { isAtOrBelow } from '../../platform/names.ts'
import { uploadEvent } from '../../reception/receive.ts'
import type { FileState, StagedFile } from '../../store/bytes.ts'
import type { Entry, FileRow, Finished, Work } from '../../store/rows.ts'
import { findFileByKey, keyOfFile } from '../../views/files.ts'
import { S3Error } from './errors.ts'
import { asStored, etagOf, type Facts } from './facts.ts'
import type { Place, S3Request } from './request.ts'

/** Maximum tries to store an object whose name, or whose folder, others take and remove meanwhile. */
const MAX_TRIES = 8
const PAUSE_MS = 5

/** Object whose bytes have arrived. */
export interface Arrived {
  place: Place
  staged: StagedFile
  facts: Facts
  visibility: FileRow['visibility'] | undefined
  /** Upload in parts that becomes the object. */
  finishes?: Omit<Finished, 'fileId'>
}

/** Finds the object at a place. */
export function* findObject({ deps }: S3Request, { folder, name }: Place): Work<FileRow | undefined> {
  const key = [...folder, name].join('/')
  const row = yield* findFileByKey(deps, key)
  return row && asStored(row, deps.store.stateOf({ ...row, key }))
}

/**
 * Judges the conditions of a change.
 *
 * @throws {S3Error} `PreconditionFailed`; `NoSuchKey` for a condition on an object that does not exist.
 */
export function assertConditions(
  headers: Headers,
  present: Pick<FileRow, 'facts' | 'sha256'> | undefined,
): void {
  const match = headers.get('if-match')
  const noneMatch = headers.get('if-none-match')
  if (match !== null) {
    if (!present) throw new S3Error('NoSuchKey')
    if (!namesEntityTag(quoted(match), etagOf(present), strongMatch)) throw new S3Error('PreconditionFailed')
  }
  if (noneMatch !== null && present && namesEntityTag(quoted(noneMatch), etagOf(present), strongMatch))
    throw new S3Error('PreconditionFailed')
}

/** Returns the value of a condition with the quotes that some clients leave out. */
export const quoted = (value: string): string => (/^[\w-]+$/.test(value) ? `"${value}"` : value)

/** Refuses an object that could not be stored now, before its bytes are sent. Returns the one in its place. */
export async function assertStorable(
  s3: S3Request,
  place: Place,
  visibility: FileRow['visibility'] | undefined,
): Promise<FileRow | undefined> {
  const { deps, request } = s3
  await assertInside(s3, place)
  return whileOvertaken(async () => {
    const present = await deps.store.read(() => findObject(s3, place))
    assertConditions(request.headers, present)
    if (present) await deps.store.assertRight(present.folderId, 'write')
    else await deps.store.assertPublishable({ ...place, visibility })
    return present
  })
}

/** Repeats work that finds a name taken, or a file or its folder removed, by another request in between. */
async function whileOvertaken<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === MAX_TRIES || !isRefused(error, 404, 409)) throw error
      await Bun.sleep(PAUSE_MS * tries)
    }
  }
}

/** Returns true for a folder that the caller reaches, whether it exists or not. */
export const isInside = (folder: string, entries: readonly Pick<Entry, 'key'>[]): boolean =>
  entries.some(({ key }) => isAtOrBelow(folder, key))

/** Refuses a place outside of what the caller reaches, whatever is there. @throws {S3Error} `AccessDenied`. */
export async function assertInside({ deps }: S3Request, { folder }: Pick<Place, 'folder'>): Promise<void> {
  if (!isInside(folder.join('/'), await deps.store.entries())) throw new S3Error('AccessDenied')
}

/**
 * Stores an object: a new file, or other bytes of the file in its place, whose conditions are judged again in the
 * transaction.
 *
 * @throws {S3Error} `PreconditionFailed`, `NoSuchBucket`; refusals of the store.
 */
export function storeObject(s3: S3Request, arrived: Arrived): Promise<{ id: string; isNew: boolean }> {
  return whileOvertaken(async () => {
    const present = await s3.deps.store.read(() => findObject(s3, arrived.place))
    assertConditions(s3.request.headers, present)
    return present ? await replace(s3, arrived, present.id) : await publish(s3, arrived)
  })
}

async function publish(s3: S3Request, { place, staged, facts, visibility, finishes }: Arrived) {
  const {
    deps,
    bucket,
    signed: { caller },
  } = s3
  const userId = caller.user.id
  const published = await deps.store.publishUpload({
    folders: [place.folder],
    files: [{ ...place, staged, facts }],
    forKeys: true,
    uploadedBy: userId,
    visibility,
    decide: function* (rows) {
      yield* assertStillAllowed(deps, caller, 'files:write')
      // Else it would be made anew with the object.
      if (deps.store.reach.isEverything && (yield* deps.store.folders.idAt([bucket])) === undefined)
        throw new S3Error('NoSuchBucket')
      const { defaultVisibility } = yield* deps.store.settings.inTransaction()
      const [row] = rows
      const keyOf = () => [...place.folder, place.name].join('/')
      return {
        visibility: visibility ?? defaultVisibility,
        ...(row && finishes && { resumable: { ...finishes, fileId: row.id } }),
        event: yield* uploadEvent(deps, userId, { rows, keyOf }),
      }
    },
  })
  return { id: published.files[0]?.id ?? '', isNew: true }
}

async function replace(s3: S3Request, { staged, facts, visibility, finishes }: Arrived, id: string) {
  const {
    deps,
    request,
    signed: { caller },
  } = s3
  const { store } = deps
  const userId = caller.user.id
  let state: FileState | undefined
  await store
    .changes(() => assertStillAllowed(deps, caller, 'files:write'))
    .replaceFile(id, {
      staged,
      uploadedBy: userId,
      visibility,
      facts,
      admit: (present) => {
        state = present
      },
      alongside: function* (present) {
        assertConditions(request.headers, asStored(present, state))
        const key = yield* keyOfFile(deps, present)
        const rows = [{ ...present, size: staged.size }]
        const event = yield* uploadEvent(deps, userId, { rows, keyOf: () => key, replaced: true })
        if (event) yield* store.webhookDeliveries.announce(event)
        if (finishes) yield* store.resumables.finish({ ...finishes, fileId: id })
      },
    })
  return { id, isNew: false }
}
