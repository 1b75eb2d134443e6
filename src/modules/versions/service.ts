import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { entryOf, recordDelete } from '../../access/history.ts'
import { fileResponse } from '../../http/file-response.ts'
import { refuseConflict, refuseNotFound } from '../../platform/errors.ts'
import { receiveLimits, withStaging } from '../../reception/receive.ts'
import type { FileRow, VersionRow, Work } from '../../store/rows.ts'
import { type FileView, requireFile, viewAt } from '../../views/files.ts'
import { MAX_VERSIONS, type VersionList } from './model.ts'

interface Found {
  version: VersionRow
  file: FileRow
}

/**
 * Finds a version with its file, which must be in the tree.
 *
 * @throws {Refusal} `not_found`.
 */
function* requireVersion(deps: Context, id: string): Work<Found> {
  const version = yield* deps.store.versions.byId(id)
  if (!version) throw refuseNotFound('Version not found')
  return { version, file: yield* requireFile(deps, { id: version.fileId }) }
}

/** Lists a page of the versions of a file, newest first. */
export const listVersions = (
  deps: Context,
  { id, limit = MAX_VERSIONS, offset = 0 }: VersionList,
): Promise<VersionRow[]> =>
  deps.store.read(function* () {
    yield* requireFile(deps, { id })
    return yield* deps.store.versions.ofFile(id, { limit, offset })
  })

/**
 * Responds with the bytes of a version as an attachment.
 *
 * @throws {Refusal} `not_found`, also when the bytes are missing; `precondition_failed`, `range_not_satisfiable`.
 */
export async function downloadVersion(deps: Context, id: string, request: Request): Promise<Response> {
  const { version, file } = await deps.store.read(() => requireVersion(deps, id))
  const opened = await deps.store.openVersion(version)
  if (!opened) throw refuseNotFound('Version not found')
  return fileResponse(request, opened, {
    name: file.name,
    mediaType: version.mimeType,
    disposition: 'attachment',
    cacheControl: 'private, max-age=0, must-revalidate',
    revalidatable: true,
    now: deps.clock.now(),
  })
}

/**
 * Replaces the bytes of a file by those of one of its versions. The present bytes become a version, too.
 *
 * @throws {Refusal} `not_found`, `conflict` when the version is damaged, `no_space`.
 */
export async function restoreVersion(deps: Context, caller: Caller, id: string): Promise<FileView> {
  const { store } = deps
  const { version } = await store.read(() => requireVersion(deps, id))
  return withStaging(deps, version.size, async (staging) => {
    const limits = { ...receiveLimits(deps), maxBytes: Number.MAX_SAFE_INTEGER }
    const staged = await staging.receive(bytesOf(store, version), limits)
    if (staged.sha256 !== version.sha256)
      throw refuseConflict('The bytes of this version are damaged, so it cannot be restored')
    await staging.sync()
    const { replaceFile } = store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
    const userId = caller.user.id
    const file = await replaceFile(version.fileId, {
      staged,
      uploadedBy: userId,
      admit: () => {},
      alongside: ({ name: target }) =>
        store.activities.insert(entryOf(deps, { userId, type: 'version.restored', target, detail: null })),
    })
    return viewAt(file)
  })
}

/** Opens a version when its first bytes are read, so that a refusal before leaves no file open. */
async function* bytesOf(store: Context['store'], version: VersionRow): AsyncGenerator<Uint8Array> {
  const opened = await store.openVersion(version)
  if (!opened) throw refuseNotFound('Version not found')
  yield* opened.chunks()
}

/** Deletes a version for good. @throws {Refusal} `not_found`. */
export async function deleteVersion(deps: Context, caller: Caller, id: string): Promise<void> {
  const { store } = deps
  const { file } = await store.read(() => requireVersion(deps, id))
  await store.changes(() => assertStillAllowed(deps, caller, 'files:delete')).removeVersion(id)
  await recordDelete(deps, {
    userId: caller.user.id,
    type: 'version.deleted',
    target: file.name,
    detail: null,
  })
}
