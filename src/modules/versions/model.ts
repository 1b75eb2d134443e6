import * as T from 'typebox'
import { EXAMPLE_ID, FILE, OTHER_ID, SHA256 } from '../../api/openapi/samples.ts'
import { envelope, jsonBody, named, nullable, queryParameters } from '../../api/schema.ts'
import type { VersionRow } from '../../store/rows.ts'
import { RecordTime, recordTime } from '../../views/times.ts'

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

export const VersionsAnswer = envelope(T.Object({ versions: T.Array(VersionView) }))
/** Versions of a page: the maximum, and the default. */
export const MAX_VERSIONS = 1000
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
export type VersionList = T.Static<typeof ListQuery>
export const FileQuery = queryParameters(ListQuery)
export const VersionQuery = queryParameters(
  T.Object({ id: T.String({ description: 'The version with this id.', examples: [EXAMPLE_ID] }) }),
)
export const RestoreBody = jsonBody(T.Object({ id: T.String({ description: 'Id of the version.' }) }))

/** Returns a version as the API shows it. */
export const versionView = (version: VersionRow): T.Static<typeof VersionView> => ({
  id: version.id,
  size: version.size,
  mimeType: version.mimeType,
  sha256: version.sha256,
  writtenAt: recordTime(version.writtenAt),
  replacedAt: recordTime(version.replacedAt),
  uploadedBy: version.uploadedBy,
})
