import * as T from 'typebox'
import { type Caller, principalOf } from '../../../access/caller.ts'
import type { TreeContext } from '../../../access/context.ts'
import { linkExpiry } from '../../../access/signature.ts'
import { FOLDER } from '../../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named } from '../../../api/schema.ts'
import { refuseInvalid } from '../../../platform/errors.ts'
import { assertName, parseFolderKey } from '../../../platform/names.ts'
import { iso } from '../../../platform/time.ts'
import { receivingFolder } from '../../../reception/receive.ts'
import { readTypes } from '../../../reception/types.ts'
import type { Work } from '../../../store/rows.ts'
import { VisibilitySchema } from '../../../views/files.ts'
import { folderNotFound } from '../../../views/folders.ts'
import { type Rules, signToken } from './token.ts'

/** Maximum bytes of the address of a link. */
const MAX_URL_BYTES = 2000
const NONCE_BYTES = 16

export const SignUploadBody = jsonBody(
  T.Object({
    folderId: T.Optional(T.String({ description: 'Id of an existing folder.' })),
    folder: T.Optional(T.String({ description: 'Key of an existing folder.' })),
    name: T.Optional(T.String({ description: 'Name of the file. Without it, the sender chooses.' })),
    maxBytes: T.Optional(T.Integer({ minimum: 1 })),
    types: T.Optional(
      T.Array(T.String(), { description: 'Media types such as `image/*`, or extensions such as `.pdf`.' }),
    ),
    visibility: T.Optional(VisibilitySchema),
    onConflict: T.Optional(
      T.Union([T.Literal('fail'), T.Literal('rename'), T.Literal('replace')], {
        description: 'For a name that is taken; `replace` needs `name`. Default: `fail`.',
      }),
    ),
    expiresIn: T.Optional(T.Number({ description: 'In seconds.' })),
  }),
)
type SignUpload = T.Static<typeof SignUploadBody.schema>

const UploadLink = named(
  'UploadLink',
  T.Object({
    url: T.String({ description: 'Relative to the base URL. It is a secret.' }),
    expiresAt: IsoTime,
  }),
  { url: 'api/uploads/signed/WzEsInI1…XQ.bTnW0qyO…', expiresAt: '2026-11-02T10:30:00.000Z' },
)
export const UploadLinkAnswer = envelope(UploadLink)

export const SIGN_EXAMPLE = { folder: FOLDER.key, maxBytes: 5_000_000, types: ['image/*'], expiresIn: 600 }

/** Signs a link by which anyone can upload one file to a folder. Nothing is stored. */
export async function signUpload(deps: TreeContext, caller: Caller, body: SignUpload) {
  const rules = readRules(body)
  const folderId = await folderFor(deps, body)
  const expires = linkExpiry(deps, body.expiresIn)
  const nonce = Buffer.from(deps.random.bytes(NONCE_BYTES)).toString('base64url')
  const token = signToken(deps.secrets.upload, { ...principalOf(caller), nonce, folderId, expires, rules })
  const url = `api/uploads/signed/${token}`
  if (url.length > MAX_URL_BYTES) throw refuseInvalid('"name" and "types" are too long for an address')
  return { url, expiresAt: iso(expires * 1000) }
}

function readRules({ name, maxBytes, types, visibility, onConflict = 'fail' }: SignUpload): Rules {
  if (name !== undefined) assertName(name, '"name"')
  if (onConflict === 'replace' && name === undefined)
    throw refuseInvalid('"name" is required with "onConflict": "replace"')
  return {
    ...(name !== undefined && { name }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(types && { types: readTypes(types) }),
    ...(visibility && { visibility }),
    onConflict,
  }
}

/** Returns the id of the folder of a link. @throws {Refusal} `not-found`, `right-missing`. */
async function folderFor(deps: TreeContext, { folderId, folder, visibility }: SignUpload): Promise<string> {
  const { store } = deps
  const named = folderId === undefined ? parseFolderKey(folder ?? '') : []
  const names = folderId === undefined ? await receivingFolder(deps, named, visibility) : []
  return store.read(function* (): Work<string> {
    const id = folderId ?? (yield* store.folders.idAt(names))
    if (id === undefined || (yield* store.folders.keyOf(id)) === undefined) throw folderNotFound()
    yield* store.assertRight(id, 'write')
    if (visibility === 'public') yield* store.assertRight(id, 'share')
    return id
  })
}
