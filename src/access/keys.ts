import { timingSafeEqual } from 'node:crypto'
import type { KeyRow, UserRow, Work } from '../store/rows.ts'
import type { Context } from './context.ts'

const KEY_FORMAT = /^hf_[0-9a-f]{64}$/

export const newKeySecret = (random: Context['random']) =>
  `hf_${Buffer.from(random.bytes(32)).toString('hex')}`

export const hashKey = (secret: string) => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

/** Returns the API key with this secret and its owner, unless it has expired or its owner is disabled. */
export function* findKey(
  { store, clock }: Context,
  secret: string,
): Work<{ key: KeyRow; user: UserRow } | undefined> {
  if (!KEY_FORMAT.test(secret)) return undefined
  const keyHash = hashKey(secret)
  const key = yield* store.keys.byKeyHash(keyHash)
  if (!key || !timingSafeEqual(Buffer.from(key.keyHash), Buffer.from(keyHash))) return undefined
  if (key.expiresAt !== null && key.expiresAt <= clock.now()) return undefined
  const user = yield* store.users.byId(key.userId)
  return user && !user.disabled ? { key, user } : undefined
}
