import { zipSync } from 'fflate'
import type { Right } from '../../src/store/store.ts'
import type { Api } from '../support/api.ts'
import { metadata, VERSION } from '../uploads/tus.ts'
import type { Place } from './world.ts'

/** Request of the matrix. Parts in braces of its operation's path are in `path`. */
export interface Ask {
  path?: string
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}

/** Requests of the matrix to an operation, and the response. */
export interface Row {
  /** Requests that name something at a place. Without it, the operation names no file or folder. */
  asks?: (at: Place, by: Api) => Promise<Ask[]>
  /** Right in the folder of what is named; `read` by default. */
  right?: Right
  /** True when what is missing is left out of a response that succeeds. */
  leavesOut?: boolean
  /** True when the root, and the key of a folder above those of a guest, show the guest's folders. */
  shows?: boolean
  /** True when the root leads to the only folder of a guest that takes files. */
  fills?: boolean
  /** Request that names nothing. */
  plain?: Ask
  /** Response to callers with scope and right, when it is none of success. */
  comes?: string
  /** True for an operation that only callers without its scopes send. */
  isForManagers?: boolean
  /** True for what only its owner may name. */
  isOwn?: boolean
  /** True for an operation that is open to strangers, or that would end the caller's session or key. */
  isApart?: boolean
}

const query =
  (name: 'file' | 'folder', as = 'id') =>
  async (at: Place): Promise<Ask[]> => [{ query: { [as]: (await at[name]()).id } }]
const byIdAndKey = (name: 'file' | 'folder') => async (at: Place) => {
  const [one, other] = [await at[name](), await at[name]()]
  return [{ query: { id: one.id } }, { query: { key: other.key } }]
}
const queryOf = (name: 'version' | 'share') => async (at: Place) => [{ query: { id: await at[name]() } }]
const pathOf = async (at: Place) => [{ path: (await at.file()).id }]
const bodyOf =
  (name: 'file' | 'folder', body: object = {}) =>
  async (at: Place) => [{ body: { id: (await at[name]()).id, ...body } }]
const idsOf = async (at: Place) => [{ body: { ids: [(await at.file()).id] } }]
/** Names a file and a folder. */
const selection = (body: (at: Place) => Promise<object> | object) => async (at: Place) => [
  { body: { fileIds: [(await at.file()).id], ...(await body(at)) } },
  { body: { folderIds: [(await at.folder()).id], ...(await body(at)) } },
]
/** Moves or copies within the place, and names a destination by its id and by its key. */
const there = async (at: Place) => ({ folderId: (await at.folder()).id })
const form = (folder: string) => {
  const body = new FormData()
  body.append('files', new Blob(['new']), 'new.txt')
  body.append('folder', folder)
  body.append('visibility', 'private')
  return body
}
const tus = { ...VERSION, 'Content-Type': 'application/offset+octet-stream' }
const upload =
  (headers: Record<string, string> = {}) =>
  async (at: Place) => [{ path: await at.upload(), headers: { ...VERSION, ...headers } }]

/** Operation of the instance's managers. */
const MANAGES: Row = { plain: {}, isForManagers: true }
const OPEN: Row = { isApart: true }
const PLAIN: Row = { plain: {} }

/** Rows of the matrix by operation. */
export const ROWS: Record<string, Row> = {
  'GET /api/files': { asks: byIdAndKey('file'), plain: {} },
  'POST /api/files': {
    asks: async (at) => [{ body: form((await at.folder()).key) }],
    right: 'write',
    fills: true,
  },
  'PUT /api/files': {
    asks: async (at) => bodyOf('file', { name: `${Bun.randomUUIDv7()}.txt` })(at),
    right: 'write',
  },
  'DELETE /api/files': {
    asks: async (at) => [...(await idsOf(at)), ...(await bodyOf('file')(at))],
    right: 'delete',
  },
  'PUT /api/files/content': {
    asks: async (at) => [{ query: { id: (await at.file()).id }, body: 'new' }],
    right: 'write',
  },
  'POST /api/files/move': {
    asks: async (at) => [{ body: { id: (await at.file()).id, ...(await there(at)) } }],
    right: 'write',
  },
  'POST /api/files/copy': { asks: selection(there), right: 'write' },
  'PUT /api/files/visibility': {
    asks: async (at) => [{ body: { ids: [(await at.file()).id], visibility: 'private' } }],
    right: 'write',
  },
  'POST /api/files/canceled': { plain: { body: { names: ['a.txt'] } } },
  'POST /api/files/sign': { asks: bodyOf('file') },
  'GET /api/files/sign': PLAIN,
  'POST /api/files/fetch': {
    asks: async (at) => {
      const { id, key } = await at.folder()
      const url = 'https://example.invalid/a'
      return [{ body: { url, folderId: id } }, { body: { url, folder: key } }]
    },
    right: 'write',
    fills: true,
  },
  'GET /api/files/fetch': PLAIN,
  'DELETE /api/files/fetch': { plain: { body: { id: 'none' } }, comes: 'fetch-not-found' },
  'GET /api/files/details': { asks: byIdAndKey('file') },
  'GET /api/files/download/{id}': { asks: pathOf },
  'DELETE /api/items': { asks: selection(() => ({})), right: 'delete' },
  'POST /api/items/move': { asks: selection(there), right: 'write' },
  'POST /api/items/copy': { asks: selection(there), right: 'write' },
  'PUT /api/items/visibility': {
    asks: selection(() => ({ visibility: 'private' })),
    right: 'write',
  },
  'GET /api/files/placeholders': { asks: query('file', 'ids'), leavesOut: true },
  'GET /api/files/thumbnail/{id}': { asks: pathOf, comes: 'thumbnail-not-found' },
  'GET /api/files/versions': { asks: query('file') },
  'DELETE /api/files/versions': { asks: queryOf('version'), right: 'delete' },
  'GET /api/files/versions/content': { asks: queryOf('version') },
  'POST /api/files/versions/restore': {
    asks: async (at) => [{ body: { id: await at.version() } }],
    right: 'write',
  },
  'GET /api/search': {
    asks: async (at) => [{ query: { folder: (await at.folder()).key, q: 'item' } }],
    plain: { query: { limit: '200' } },
    shows: true,
  },
  'POST /api/files/download': { asks: idsOf },
  'OPTIONS /api/uploads': OPEN,
  'POST /api/uploads': {
    asks: async (at) => {
      const fields = { name: 'resumable.txt', folder: (await at.folder()).key, visibility: 'private' }
      return [{ headers: { ...VERSION, 'Upload-Length': '4', 'Upload-Metadata': metadata(fields) } }]
    },
    right: 'write',
    fills: true,
  },
  'OPTIONS /api/uploads/{id}': OPEN,
  'POST /api/uploads/sign': {
    asks: async (at) => {
      const { id, key } = await at.folder()
      return [{ body: { folderId: id } }, { body: { folder: key } }]
    },
    right: 'write',
    fills: true,
  },
  'OPTIONS /api/uploads/signed/{token}': OPEN,
  'PUT /api/uploads/signed/{token}': OPEN,
  'POST /api/uploads/signed/{token}': OPEN,
  'OPTIONS /api/uploads/signed/{token}/{id}': OPEN,
  'GET /api/uploads/signed/{token}/{id}': OPEN,
  'PATCH /api/uploads/signed/{token}/{id}': OPEN,
  'DELETE /api/uploads/signed/{token}/{id}': OPEN,
  'GET /api/uploads/{id}': { asks: upload(), right: 'write', isOwn: true },
  'PATCH /api/uploads/{id}': {
    asks: async (at) => [
      { path: await at.upload(), headers: { ...tus, 'Upload-Offset': '0' }, body: 'text' },
    ],
    right: 'write',
    isOwn: true,
  },
  'DELETE /api/uploads/{id}': { asks: upload(), right: 'write', isOwn: true },
  'GET /api/folders': { asks: byIdAndKey('folder'), shows: true },
  'POST /api/folders': {
    asks: async (at) => [{ body: { folder: `${(await at.folder()).key}/new` } }],
    right: 'write',
  },
  'PUT /api/folders': {
    asks: async (at) => [
      ...(await bodyOf('folder', { name: `renamed ${Bun.randomUUIDv7()}` })(at)),
      ...(await bodyOf('folder', { visibility: 'private' })(at)),
    ],
    right: 'write',
  },
  'DELETE /api/folders': { asks: bodyOf('folder'), right: 'delete' },
  'GET /api/folders/checksums': { asks: byIdAndKey('folder'), shows: true },
  'GET /api/folders/totals': { asks: byIdAndKey('folder'), shows: true },
  'GET /api/folders/sizes': { asks: byIdAndKey('folder'), shows: true },
  'POST /api/folders/move': {
    asks: async (at) => [{ body: { id: (await at.folder()).id, ...(await there(at)) } }],
    right: 'write',
  },
  'POST /api/folders/replace': {
    asks: async (at) => [{ body: { id: (await at.folder()).id, replaces: (await at.folder()).id } }],
    right: 'delete',
  },
  'GET /api/folders/download': { asks: byIdAndKey('folder'), shows: true },
  'GET /api/folders/people': MANAGES,
  'PUT /api/folders/people': MANAGES,
  'POST /api/folders/import': {
    asks: async (at) => [
      {
        query: { folder: (await at.folder()).key, visibility: 'private' },
        headers: { 'Content-Type': 'application/zip' },
        body: new Blob([zipSync({ 'zipped.txt': Buffer.from('zipped') })]),
      },
    ],
    right: 'write',
    fills: true,
  },
  'GET /api/favorites': PLAIN,
  'PUT /api/favorites': { asks: selection(() => ({})) },
  'DELETE /api/favorites': { asks: selection(() => ({})) },
  'GET /api/trash': PLAIN,
  'POST /api/trash': { asks: selection(() => ({})), right: 'delete' },
  'DELETE /api/trash': {
    asks: async (at) => [{ body: { ids: [await at.trashed()] } }],
    right: 'delete',
  },
  'POST /api/trash/restore': {
    asks: async (at) => [{ body: { ids: [await at.trashed()] } }],
    right: 'write',
  },
  'GET /api/shares': { plain: {} },
  'POST /api/shares': {
    asks: async (at) => [
      { body: { items: [{ fileId: (await at.file()).id }] } },
      { body: { items: [{ folderId: (await at.folder()).id }] } },
    ],
    right: 'share',
  },
  'PUT /api/shares': {
    asks: async (at) => [{ body: { id: await at.share(), title: 'new' } }],
    right: 'share',
    isOwn: true,
  },
  'DELETE /api/shares': {
    asks: async (at) => [{ body: { id: await at.share() } }],
    right: 'share',
    isOwn: true,
  },
  'GET /api/shares/visits': { asks: queryOf('share'), right: 'share', isOwn: true },
  'GET /api/s/{slug}': OPEN,
  'POST /api/s/{slug}/open': OPEN,
  'POST /api/s/{slug}/files': OPEN,
  'GET /api/s/{slug}/files/{id}': OPEN,
  'GET /api/s/{slug}/thumbs/{id}': OPEN,
  'GET /api/s/{slug}/archive': OPEN,
  'OPTIONS /api/s/{slug}/uploads': OPEN,
  'POST /api/s/{slug}/uploads': OPEN,
  'OPTIONS /api/s/{slug}/uploads/{id}': OPEN,
  'GET /api/s/{slug}/uploads/{id}': OPEN,
  'PATCH /api/s/{slug}/uploads/{id}': OPEN,
  'DELETE /api/s/{slug}/uploads/{id}': OPEN,
  'GET /api/hosting/{key}': { asks: async (at) => [{ path: (await at.file()).key }] },
  'OPTIONS /api/hosting/{key}': OPEN,
  'GET /api/me': PLAIN,
  'PUT /api/me': { plain: { body: { name: 'A guest' } } },
  'PUT /api/me/password': OPEN,
  'GET /api/me/usage': PLAIN,
  'GET /api/me/sessions': PLAIN,
  'DELETE /api/me/sessions': OPEN,
  'GET /api/me/security': PLAIN,
  'GET /api/me/ways-in': PLAIN,
  'DELETE /api/me/trusted-devices': PLAIN,
  'GET /api/activity': PLAIN,
  'DELETE /api/activity': { plain: { body: { all: true } } },
  'GET /api/activity/security.csv': MANAGES,
  'GET /api/keys': PLAIN,
  'POST /api/keys': {
    asks: async (at) => [
      { body: { name: Bun.randomUUIDv7(), scopes: ['files:read'], folderId: (await at.folder()).id } },
    ],
  },
  'POST /api/keys/s3': OPEN,
  'PUT /api/keys': OPEN,
  'DELETE /api/keys': OPEN,
  'GET /api/users': MANAGES,
  'POST /api/users': MANAGES,
  'PUT /api/users': MANAGES,
  'DELETE /api/users': MANAGES,
  'GET /api/users/usage': MANAGES,
  'PUT /api/users/quota': MANAGES,
  'DELETE /api/users/second-factor': MANAGES,
  'GET /api/invitations': MANAGES,
  'POST /api/invitations': MANAGES,
  'DELETE /api/invitations': MANAGES,
  'GET /api/webhooks': MANAGES,
  'POST /api/webhooks': MANAGES,
  'PUT /api/webhooks': MANAGES,
  'DELETE /api/webhooks': MANAGES,
  'GET /api/sites': PLAIN,
  'POST /api/sites': {
    asks: async (at) => {
      const { id, key } = await at.folder()
      const name = () => Bun.randomUUIDv7()
      return [{ body: { name: name(), folderId: id } }, { body: { name: name(), folder: key } }]
    },
    right: 'share',
  },
  'PUT /api/sites': { asks: async (at) => [{ body: { id: await at.site(), spa: true } }], right: 'share' },
  'DELETE /api/sites': { asks: async (at) => [{ body: { id: await at.site() } }], right: 'share' },
  'GET /api/sites/misses': { asks: async (at) => [{ query: { id: await at.site() } }] },
  'POST /api/sites/sign': {
    asks: async (at) => [{ body: { id: await at.site() } }],
    right: 'share',
    comes: 'conflict',
  },
  'GET /api/sites/ask': OPEN,
  'GET /api/webhooks/for-shares': PLAIN,
  'GET /api/webhooks/deliveries': MANAGES,
  'POST /api/webhooks/test': MANAGES,
  'POST /api/webhooks/retry': MANAGES,
  'GET /api/changes': PLAIN,
  'GET /api/changes/latest': PLAIN,
  'GET /api/changes/files': { asks: query('file', 'ids'), leavesOut: true },
  'GET /api/settings': MANAGES,
  'PUT /api/settings': MANAGES,
  'GET /api/settings/files': PLAIN,
  'POST /api/settings/apply-visibility': MANAGES,
  'GET /api/settings/sign-in': MANAGES,
  'POST /api/settings/sign-in/try': MANAGES,
  'GET /api/stats': PLAIN,
  'POST /api/auth/sign-up/email': OPEN,
  'POST /api/auth/sign-in/email': OPEN,
  'POST /api/auth/sign-out': OPEN,
  'GET /api/auth/get-session': OPEN,
  'GET /api/auth/passkey/generate-register-options': OPEN,
  'POST /api/auth/passkey/verify-registration': OPEN,
  'GET /api/auth/passkey/generate-authenticate-options': OPEN,
  'POST /api/auth/passkey/verify-authentication': OPEN,
  'GET /api/auth/passkey/list-user-passkeys': PLAIN,
  'POST /api/auth/passkey/update-passkey': OPEN,
  'POST /api/auth/passkey/delete-passkey': OPEN,
  'POST /api/auth/passkey/second-factor': OPEN,
  'GET /api/auth/methods': OPEN,
  'POST /api/auth/confirm': OPEN,
  'POST /api/auth/set-password': OPEN,
  'POST /api/auth/two-factor/enable': OPEN,
  'POST /api/auth/two-factor/disable': OPEN,
  'POST /api/auth/two-factor/generate-backup-codes': OPEN,
  'POST /api/auth/two-factor/verify-totp': OPEN,
  'POST /api/auth/two-factor/verify-backup-code': OPEN,
  'POST /api/auth/sign-in/forwarded': OPEN,
  'POST /api/auth/device/code': OPEN,
  'POST /api/auth/device/token': OPEN,
  'GET /api/auth/device': OPEN,
  'POST /api/auth/device/approve': OPEN,
  'POST /api/auth/device/deny': OPEN,
  'POST /api/auth/sign-in/link': OPEN,
  'POST /api/auth/sign-in/social': OPEN,
  'GET /api/auth/callback/oidc': OPEN,
  'POST /api/auth/backchannel-logout/oidc': OPEN,
  'POST /api/auth/link-social': { plain: { body: { provider: 'oidc' } }, comes: 'provider-not-found' },
  'POST /api/auth/unlink-account': { plain: { body: { providerId: 'oidc' } }, comes: 'invalid' },
  'GET /api/auth/list-accounts': PLAIN,
  'POST /api/invitations/open': OPEN,
  'POST /api/invitations/accept': OPEN,
  'GET /api/health': OPEN,
  'GET /api/setup': OPEN,
  'GET /api/health/ready': OPEN,
  'GET /api/openapi.json': OPEN,
  'GET /api/docs': OPEN,
  'GET /api/docs/{page}': OPEN,
}
