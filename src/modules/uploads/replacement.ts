import type { Caller } from '../../access/caller.ts'
import { isRefused, Refusal } from '../../platform/errors.ts'
import { parseFolderKey } from '../../platform/names.ts'
import { replaceBy } from '../../reception/receive.ts'
import type { ResumableRow } from '../../store/rows.ts'
import { locateFile } from '../../views/files.ts'
import { readMetadata } from './protocol.ts'
import type { UploadsContext } from './resumables.ts'
import type { Arrived } from './sender.ts'

/** Returns the id of the file that an upload replaces; `undefined` for one that becomes a new file. */
export const replacedBy = ({ metadata }: Pick<ResumableRow, 'metadata'>): string | undefined =>
  readMetadata(metadata).get('replaces')

/** Returns the number of stored bytes that an upload replaces; they may not stay. */
export async function freedBy(
  { store }: Pick<UploadsContext, 'store'>,
  upload: Pick<ResumableRow, 'metadata'>,
): Promise<number> {
  const id = replacedBy(upload)
  return id === undefined ? 0 : ((await store.files.byId(id))?.size ?? 0)
}

/**
 * Refuses an upload that could not be published now, before its bytes are sent.
 *
 * @throws {Refusal} `not-found` when the file to replace does not exist, `invalid` for too long a key, `conflict`
 *   when the name is taken.
 */
export async function assertPublishable(
  deps: UploadsContext,
  upload: Pick<ResumableRow, 'folder' | 'name' | 'metadata' | 'visibility'>,
): Promise<void> {
  const { store } = deps
  const id = replacedBy(upload)
  if (id === undefined) {
    const { name, visibility } = upload
    const folder = parseFolderKey(upload.folder)
    return store.assertPublishable({ folder, name, visibility: visibility ?? undefined })
  }
  const { row } = await locateFile(deps, { id })
  await store.assertRight(row.folderId, 'write')
}

/** Refuses an upload to a folder that the caller no longer reaches, or of a file there. @throws {Refusal} `not-found`. */
export async function assertReached(deps: UploadsContext, upload: ResumableRow): Promise<void> {
  const { store } = deps
  if (store.reach.isEverything) return
  const id = upload.fileId ?? replacedBy(upload)
  try {
    if (id !== undefined) await locateFile(deps, { id })
    else await store.assertDestination({ folder: parseFolderKey(upload.folder) })
  } catch (error) {
    if (isRefused(error, 404)) throw new Refusal('upload-not-found')
    // It may still be looked up, or ended.
    if (!isRefused(error, 403, 409)) throw error
  }
}

/** Replaces the bytes of a file by those of a complete upload. @throws {Refusal} as `replaceBy`. */
export async function replaceByUpload(
  deps: UploadsContext,
  caller: Caller,
  id: string,
  { row, staged, ...finished }: Arrived,
): Promise<void> {
  const alongside = () => deps.store.resumables.finish({ id: row.id, fileId: id, ...finished })
  await replaceBy(deps, caller, { id, staged, alongside })
}
