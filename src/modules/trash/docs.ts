import { documented } from '../../api/openapi/described.ts'
import { FILE, OTHER_ID } from '../../api/openapi/samples.ts'

const NOT_THERE = 'Not in the trash'

/** `POST /api/trash` */
export const putInTrash = documented('Trash', {
  id: 'putInTrash',
  summary: 'Move files and folders to the trash',
  description:
    'A folder goes with everything below it. Names are free at once, and URLs and signed links answer 404. Each id ' +
    'is handled on its own; the answer is 404 only when none of them exists. `DELETE /api/files` and ' +
    '`DELETE /api/folders` delete for good. Counts of the traffic of a file end when it leaves.',
  body: { fileIds: [FILE.id], folderIds: [OTHER_ID] },
  returns: 'The moved ids, and the others with reasons.',
  refusals: { 400: ['"fileIds" or "folderIds" is required'], 404: ['File not found'] },
})

/** `GET /api/trash` */
export const listTrash = documented(
  'Trash',
  {
    id: 'listTrash',
    summary: 'List the trash',
    description:
      'The items, the latest first unless `orderBy` and `orderDirection` say otherwise: 100 or `limit` of them, at most ' +
      '1000. With `search`, only those with the text in their key. Items past `expiresAt` are removed for good, and when space runs short the oldest go earlier. The setting `trashDays` says how long they stay.',
    returns: 'The items of the page, the number of all, and the days that items stay.',
  },
  { isCompressed: true },
)

/** `POST /api/trash/restore` */
export const restoreFromTrash = documented('Trash', {
  id: 'restoreFromTrash',
  summary: 'Restore files and folders',
  description:
    'Each returns to its folder with its id, visibility and times, and links to it open again. A folder that is gone ' +
    'is created at its key. When the name is taken, the item becomes `name (2)`. Each id is handled on its own.',
  returns: 'The restored items with their keys, and the others with reasons.',
  refusals: { 404: [NOT_THERE] },
})

/** `DELETE /api/trash` */
export const emptyTrash = documented('Trash', {
  id: 'emptyTrash',
  summary: 'Remove items of the trash for good',
  description: 'The items in `ids`, or with `all` every one. Cannot be undone.',
  body: { ids: [FILE.id, OTHER_ID] },
  returns: 'Number of removed items, and the others with reasons.',
  refusals: { 400: ['Either "ids" or "all": true is required'], 404: [NOT_THERE] },
})
