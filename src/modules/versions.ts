import { Elysia } from 'elysia'
import * as T from 'typebox'
import { assertStillAllowed, type Caller } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import { entryOf, recordDelete } from '../access/history.ts'
import { auth, DELETE, READ, WRITE } from '../access/plugin.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { downloadAnswers, RANGE_REQUEST } from '../api/openapi/bytes.ts'
import { EXAMPLE_ID, FILE, OTHER_ID, SHA256 } from '../api/openapi/samples.ts'
import {
  done,
  emptyEnvelope,
  envelope,
  jsonBody,
  named,
  nullable,
  queryParameters,
  success,
} from '../api/schema.ts'
import { fileResponse } from '../http/file-response.ts'
import { Refusal, refuseConflict } from '../platform/errors.ts'
import { receiveLimits, withStaging } from '../reception/receive.ts'
import { contentType } from '../store/bytes.ts'
import type { FileRow, VersionRow, Work } from '../store/rows.ts'
import { FileAnswer, type FileView, requireFile, viewAt } from '../views/files.ts'
import { RecordTime, recordTime } from '../views/times.ts'

/** Schema of a version. */
export const VersionView = named(
  'Version',
  T.Object({
    id: T.String(),
    size: T.Integer({ description: 'In bytes.' }),
    mimeType: T.String(),
    sha256: T.String({ description: 'Hexadecimal.' }),
    writtenAt: RecordTime,
    replacedAt: RecordTime,
    uploadedBy: nullable(T.String({ description: 'Id of the account that sent these bytes.' })),
  }),
  {
    id: OTHER_ID,
    size: 479_020,
    mimeType: FILE.mimeType,
    sha256: SHA256,
    writtenAt: '2026-11-02 09:30:00',
    replacedAt: '2026-11-21 16:04:12',
    uploadedBy: EXAMPLE_ID,
  },
)

const VersionsAnswer = envelope(T.Object({ versions: T.Array(VersionView) }))
/** Versions of a page: the maximum, and the default. */
const MAX_VERSIONS = 1000
const ListQuery = T.Object({
  id: T.String({ description: 'The file with this id.', examples: [EXAMPLE_ID] }),
  limit: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: MAX_VERSIONS,
      description: `Maximum number of versions; ${MAX_VERSIONS} by default.`,
      examples: [100],
    }),
  ),
  offset: T.Optional(T.Integer({ minimum: 0, description: 'Number of versions to skip.', examples: [0] })),
})
type VersionList = T.Static<typeof ListQuery>
const FileQuery = queryParameters(ListQuery)
const VersionQuery = queryParameters(
  T.Object({ id: T.String({ description: 'The version with this id.', examples: [EXAMPLE_ID] }) }),
)
const RestoreBody = jsonBody(T.Object({ id: T.String({ description: 'Id of the version.' }) }))

/** Returns a version as the API shows it. */
const versionView = (version: VersionRow): T.Static<typeof VersionView> => ({
  id: version.id,
  size: version.size,
  mimeType: version.mimeType,
  sha256: version.sha256,
  writtenAt: recordTime(version.writtenAt),
  replacedAt: recordTime(version.replacedAt),
  uploadedBy: version.uploadedBy,
})

const NO_FILE = 'File not found'

const NO_VERSION = 'Version not found'

const LIST_VERSIONS = route('Files', READ, {
  id: 'listVersions',
  summary: 'List the versions of a file',
  description:
    'Bytes that were replaced, newest first, at most 1000 of them. They are kept for `versionDays` of the settings.',
  query: FileQuery,
  answer: VersionsAnswer,
  returns: 'The versions.',
  refusals: { 404: [NO_FILE] },
})

const DOWNLOAD_VERSION = route('Files', READ, {
  id: 'downloadVersion',
  summary: 'Download a version',
  description: 'Supports ranges and conditional requests.',
  parameters: RANGE_REQUEST,
  query: VersionQuery,
  facts: { kind: 'download' },
  responses: downloadAnswers(FILE.name),
  refusals: { 404: [NO_VERSION], 412: [], 416: [], 503: [] },
})

const RESTORE_VERSION = route('Files', WRITE, {
  id: 'restoreVersion',
  summary: 'Restore a version',
  description: 'Replaces the bytes of the file by those of the version. The present bytes become a version.',
  takes: RestoreBody,
  answer: FileAnswer,
  returns: 'The file.',
  refusals: {
    404: [NO_VERSION],
    409: ['The bytes of this version are damaged, so it cannot be restored'],
  },
})

const DELETE_VERSION = route('Files', DELETE, {
  id: 'deleteVersion',
  summary: 'Delete a version',
  query: VersionQuery,
  answer: emptyEnvelope,
  returns: 'The version is deleted for good.',
  refusals: { 404: [NO_VERSION] },
})

/** Builds `/api/files/versions`: bytes that were replaced. */
export function versionRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/files/versions' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query }) =>
        success({ versions: (await listVersions(within(deps, caller), query)).map(versionView) }),
      { ...LIST_VERSIONS },
    )
    .get(
      '/content',
      ({ caller, query, request }) => downloadVersion(within(deps, caller), query.id, request),
      { ...DOWNLOAD_VERSION },
    )
    .post(
      '/restore',
      async ({ caller, body }) =>
        success({ file: await restoreVersion(within(deps, caller), caller, body.id) }),
      { ...RESTORE_VERSION },
    )
    .delete('/', ({ caller, query }) => done(deleteVersion(within(deps, caller), caller, query.id)), {
      ...DELETE_VERSION,
    })
}

interface Found {
  version: VersionRow
  file: FileRow
}

/**
 * Finds a version with its file, which must be in the tree.
 *
 * @throws {Refusal} `not-found`.
 */
function* requireVersion(deps: TreeContext, id: string): Work<Found> {
  const version = yield* deps.store.versions.byId(id)
  if (!version) throw new Refusal('version-not-found')
  return { version, file: yield* requireFile(deps, { id: version.fileId }) }
}

/** Lists a page of the versions of a file, newest first. */
const listVersions = (
  deps: TreeContext,
  { id, limit = MAX_VERSIONS, offset = 0 }: VersionList,
): Promise<VersionRow[]> =>
  deps.store.read(function* () {
    yield* requireFile(deps, { id })
    return yield* deps.store.versions.ofFile(id, { limit, offset })
  })

/**
 * Responds with the bytes of a version as an attachment.
 *
 * @throws {Refusal} `not-found`, also when the bytes are missing; `precondition-failed`, `range-not-satisfiable`.
 */
async function downloadVersion(deps: TreeContext, id: string, request: Request): Promise<Response> {
  const { version, file } = await deps.store.read(() => requireVersion(deps, id))
  const opened = await deps.store.openVersion(version)
  if (!opened) throw new Refusal('version-not-found')
  return fileResponse(request, opened, {
    name: file.name,
    mediaType: contentType(version),
    disposition: 'attachment',
    cacheControl: 'private, max-age=0, must-revalidate',
    revalidatable: true,
    now: deps.clock.now(),
  })
}

/**
 * Replaces the bytes of a file by those of one of its versions. The present bytes become a version, too.
 *
 * @throws {Refusal} `not-found`, `conflict` when the version is damaged, `no-space`.
 */
async function restoreVersion(deps: TreeContext, caller: Caller, id: string): Promise<FileView> {
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
async function* bytesOf(store: TreeContext['store'], version: VersionRow): AsyncGenerator<Uint8Array> {
  const opened = await store.openVersion(version)
  if (!opened) throw new Refusal('version-not-found')
  yield* opened.chunks()
}

/** Deletes a version for good. @throws {Refusal} `not-found`. */
async function deleteVersion(deps: TreeContext, caller: Caller, id: string): Promise<void> {
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
