import { documented } from '../../api/openapi/described.ts'
import { EXAMPLE_ID, FILE, OTHER_ID, SHARE } from '../../api/openapi/samples.ts'

const NOT_FOUND = 'Share not found'
const TAKEN = 'Another share has this "slug" already'

/** `GET /api/shares` */
export const listShares = documented('Shares', {
  id: 'listShares',
  summary: 'List the caller’s shares',
  description: 'Newest first, those that have expired or are used up included.',
  returns: 'All of them.',
})

/** `POST /api/shares` */
export const createShare = documented('Shares', {
  id: 'createShare',
  summary: 'Share files and folders',
  description:
    'Items are shared by id, so a share stays valid when they are renamed or moved. A folder is shared with everything ' +
    'below it. With `canWrite` visitors send files to the folder `folderId`, which needs `files:write`; `maxFiles`, ' +
    '`maxBytes` and `types` limit them. `notify` names a webhook that gets the events of the share. Without a `slug` the server chooses 12 random characters. The password is stored as a hash.',
  body: {
    items: [{ fileId: FILE.id }, { folderId: OTHER_ID }],
    title: SHARE.title,
    password: 'low tide at noon',
    expiresAt: '2026-12-01T00:00:00.000Z',
    maxDownloads: 3,
  },
  returns: 'The share.',
  refusals: {
    400: [
      '"items" must name at least one file or folder',
      'The root folder cannot be shared: choose files or folders',
    ],
    404: ['File not found', 'Folder not found', 'Webhook not found'],
    409: [TAKEN, 'You have 1000 shares already: end some first'],
  },
})

/** `PUT /api/shares` */
export const changeShare = documented('Shares', {
  id: 'changeShare',
  summary: 'Change the rules of a share',
  description:
    'A field that is missing keeps its value; null removes the rule. Another password, or none, closes the share to ' +
    'visitors who opened it with the previous one.',
  body: { id: EXAMPLE_ID, password: null, maxDownloads: 10 },
  returns: 'The share.',
  refusals: { 404: [NOT_FOUND, 'File not found', 'Webhook not found'], 409: [TAKEN] },
})

/** `DELETE /api/shares` */
export const endShare = documented('Shares', {
  id: 'endShare',
  summary: 'End a share',
  description: 'The next request of a visitor is refused. With `users:manage`, the share of any account.',
  returns: 'Ended.',
  refusals: { 404: [NOT_FOUND] },
})

/** `GET /api/shares/visits` */
export const listShareVisits = documented('Shares', {
  id: 'listShareVisits',
  summary: 'List the visits of a share',
  description:
    'The latest 200, newest first: who opened it, completed downloads and wrong passwords. They are removed with the ' +
    'share, or with old entries of the history.',
  returns: 'Visits with the address and browser of each.',
  refusals: { 400: ['"before" is not a visit of this share'], 404: [NOT_FOUND] },
})
