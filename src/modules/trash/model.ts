import * as T from 'typebox'
import { ACCOUNT, FILE, FOLDER, OTHER_ID } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { DAY_MS, iso } from '../../platform/time.ts'
import { mediaType } from '../../store/bytes.ts'
import type { TrashRow } from '../../store/rows.ts'
import { ListParameters } from '../../views/lists.ts'
import { TRASH_ORDERS } from '../../views/orders.ts'

const Kind = T.Union([T.Literal('file'), T.Literal('folder')])

/** Schema of a deleted file or folder. */
const TrashItem = named(
  'TrashItem',
  T.Object({
    id: T.String({ description: 'Id of the file or folder, which it keeps.' }),
    kind: Kind,
    name: T.String(),
    mimeType: nullable(T.String({ description: 'Media type by the name of a file; null for a folder.' })),
    key: T.String({ description: 'Key at which it was deleted.' }),
    size: T.Integer({ description: 'Size of its files together, in bytes.' }),
    count: T.Integer({ description: 'Number of its files; 1 for a file.' }),
    deletedAt: IsoTime,
    deletedBy: nullable(T.String({ description: 'Id of the account that deleted it.' })),
    expiresAt: IsoTime,
  }),
  {
    id: FOLDER.id,
    kind: 'folder',
    name: FOLDER.name,
    mimeType: null,
    key: FOLDER.key,
    size: FILE.size,
    count: 1,
    deletedAt: '2026-11-03T10:00:00.000Z',
    deletedBy: ACCOUNT.user.id,
    expiresAt: '2026-12-03T10:00:00.000Z',
  },
)

const Failed = T.Array(
  T.Object({ id: T.String({ examples: [OTHER_ID] }), message: T.String({ examples: ['Not in the trash'] }) }),
)
const Ids = T.Array(T.String(), { minItems: 1 })

const TrashParameters = {
  limit: T.Optional(
    T.Integer({ minimum: 0, maximum: 1000, description: 'Maximum number of items.', examples: [100] }),
  ),
  offset: T.Optional(T.Integer({ minimum: 0, description: 'Number of items to skip.', examples: [0] })),
  search: T.Optional(T.String({ description: 'Only items with this in their key.', examples: ['holiday'] })),
  orderBy: T.Optional(oneOf(TRASH_ORDERS, { description: '`deletedAt` by default.', examples: ['size'] })),
  orderDirection: ListParameters.orderDirection,
}
export const TrashQuery = queryParameters(T.Object(TrashParameters))
export type TrashRequest = T.Static<T.TObject<typeof TrashParameters>>
export const TrashAnswer = envelope(
  T.Object({
    items: T.Array(TrashItem),
    total: T.Integer({ description: 'Number of all items, or of those that `search` finds.' }),
    trashDays: T.Integer({ description: 'Days that items stay; 0 when the trash is off.', examples: [30] }),
  }),
)

export const PutBody = jsonBody(
  T.Object({ fileIds: T.Optional(T.Array(T.String())), folderIds: T.Optional(T.Array(T.String())) }),
)
export const PutAnswer = envelope(T.Object({ trashed: T.Array(T.String()), failed: Failed }))

export const RestoreBody = jsonBody(T.Object({ ids: Ids }))
export const RestoredAnswer = envelope(
  T.Object({
    restored: T.Array(T.Object({ id: T.String(), kind: Kind, name: T.String(), key: T.String() })),
    failed: Failed,
  }),
)

/** Schema of a removal: some items by their ids, or all. */
export const PurgeBody = jsonBody(T.Object({ ids: T.Optional(Ids), all: T.Optional(T.Boolean()) }))
export const PurgedAnswer = envelope(T.Object({ deleted: T.Integer(), failed: Failed }))

/** Returns an item as the API shows it. */
export const trashView = (item: TrashRow, trashDays: number): T.Static<typeof TrashItem> => ({
  id: item.id,
  kind: item.kind,
  name: item.name,
  mimeType: item.kind === 'file' ? mediaType(item.name) : null,
  key: item.key,
  size: item.size,
  count: item.count,
  deletedAt: iso(item.deletedAt),
  deletedBy: item.deletedBy,
  expiresAt: iso(item.deletedAt + trashDays * DAY_MS),
})
