import { createHmac } from 'node:crypto'
import * as T from 'typebox'
import { Compile } from 'typebox/compile'
import type { Principal } from '../../../access/caller.ts'
import { isSameSecret } from '../../../platform/same-secret.ts'

/** Incremented when the format changes, so that old links stop working instead of changing meaning. */
const VERSION = 1

/** Conditions under which a link accepts its file. */
const Rules = T.Object({
  name: T.Optional(T.String()),
  maxBytes: T.Optional(T.Number()),
  types: T.Optional(T.Array(T.String())),
  visibility: T.Optional(T.Union([T.Literal('public'), T.Literal('private')])),
  onConflict: T.Union([T.Literal('fail'), T.Literal('rename'), T.Literal('replace')]),
})
export type Rules = T.Static<typeof Rules>

const Payload = T.Tuple([
  T.Literal(VERSION),
  T.String(),
  T.String(),
  T.Number(),
  T.String(),
  T.Union([T.String(), T.Null()]),
  Rules,
])
const payloads = Compile(Payload)

/** Content of a signed upload link. */
export interface Signed extends Principal {
  /** 128 random bits, which tell links apart. */
  nonce: string
  folderId: string
  /** Seconds since 1970. */
  expires: number
  rules: Rules
}

const signatureOf = (secret: Uint8Array, payload: string) =>
  createHmac('sha256', secret).update(payload).digest('base64url')

/** Returns the text of a link: its content and the HMAC-SHA256 over that, both in base64url. */
export function signToken(secret: Uint8Array, signed: Signed): string {
  const { nonce, folderId, expires, userId, keyId, rules } = signed
  const content: T.Static<typeof Payload> = [VERSION, nonce, folderId, expires, userId, keyId, rules]
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${payload}.${signatureOf(secret, payload)}`
}

/** Returns the content of a link; `undefined` for one that was not signed with this secret. */
export function readToken(secret: Uint8Array, token: string): Signed | undefined {
  const [payload = '', signature = '', ...others] = token.split('.')
  // Texts are compared: base64url has several spellings of the same bytes.
  const isGenuine = isSameSecret(signature, signatureOf(secret, payload))
  if (!isGenuine || others.length > 0) return undefined
  const content: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (!payloads.Check(content)) return undefined
  const [, nonce, folderId, expires, userId, keyId, rules] = content
  return { nonce, folderId, expires, userId, keyId, rules }
}
