import type * as T from 'typebox'
import {
  assertStillAllowed,
  FILE_SCOPES,
  type LocatedCaller,
  newKey,
  scopesOf,
} from '../../../access/caller.ts'
import { assertConfirmed } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { insertActivity } from '../../../access/history.ts'
import { hashToken } from '../../../access/sessions.ts'
import { limiterOf, type SignInLimiter } from '../../../access/sign-in-limits.ts'
import type { Device } from '../../../http/exchange.ts'
import { Refusal, refuseInvalid, refuseTooMany } from '../../../platform/errors.ts'
import { newToken, randomText } from '../../../platform/random.ts'
import { rateLimitBucket } from '../../../platform/rate-limit.ts'
import { iso } from '../../../platform/time.ts'
import type { DeviceCodeRow, Work } from '../../../store/rows.ts'
import {
  type AnsweredAnswer,
  type AskAnswer,
  type AskForKey,
  type AskingAnswer,
  INTERVAL_MS,
  LIFETIME_MS,
  type TokenAnswer,
} from './model.ts'

/** Programs that may ask from one address in a minute. */
const ASKS_PER_MINUTE = 10
/** Codes that an account may mistype in ten minutes: guessing finds no program of other people. */
const WRONG_CODES = 5

/** Letters of a user code: without vowels, so that no words come out (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8

/** Context with the limits of codes. */
interface DeviceContext extends Context {
  asks: SignInLimiter
  wrongCodes: SignInLimiter
}

/** Adds the limits of codes to a context. */
export function withLimits(context: Context): DeviceContext {
  const asks = { name: 'device', limit: ASKS_PER_MINUTE, windowMs: 60_000 }
  const wrongCodes = { name: 'device-code', limit: WRONG_CODES, windowMs: LIFETIME_MS }
  return { ...context, asks: limiterOf(context, asks), wrongCodes: limiterOf(context, wrongCodes) }
}

/** Begins the sign-in of a program. */
export async function ask(
  deps: DeviceContext,
  { client_id: clientName, scope }: AskForKey,
  device: Device,
): Promise<T.Static<typeof AskAnswer.schema>['data']> {
  const { store, clock, random, asks, config } = deps
  const scopes = readScopes(scope)
  const wait = await asks.take(rateLimitBucket(device.ipAddress))
  if (wait > 0) throw refuseTooMany(wait)
  const deviceCode = newToken(random)
  const code = randomText(random, LETTERS, CODE_LENGTH)
  const now = clock.now()
  const row = { deviceHash: hashToken(deviceCode), userHash: hashToken(code), clientName, scopes }
  const times = { polledAt: now - INTERVAL_MS, createdAt: now, expiresAt: now + LIFETIME_MS }
  const asking: DeviceCodeRow = {
    ...row,
    ...times,
    ipAddress: device.ipAddress,
    state: 'pending',
    userId: null,
  }
  await store.transact(() => store.deviceCodes.insert(asking))
  const userCode = inGroups(code)
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${config.baseUrl}/device`,
    verification_uri_complete: `${config.baseUrl}/device?user_code=${userCode}`,
    expires_in: LIFETIME_MS / 1000,
    interval: INTERVAL_MS / 1000,
  }
}

const inGroups = (code: string) => `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`

function readScopes(sent: string | undefined): string[] {
  const wanted = sent?.split(' ').filter((scope) => scope !== '') ?? []
  if (wanted.length === 0) return [...FILE_SCOPES]
  const known: readonly string[] = FILE_SCOPES
  if (wanted.some((scope) => !known.includes(scope)))
    throw refuseInvalid(`"scope" must be of ${FILE_SCOPES.join(' ')}`)
  return FILE_SCOPES.filter((scope) => wanted.includes(scope))
}

/**
 * Returns the API key of an approved program.
 *
 * @throws {Refusal} `authorization-pending`, `slow-down`, `access-denied`; `expired-token`, also for an unknown code.
 */
export async function redeem(
  deps: DeviceContext,
  deviceCode: string,
): Promise<T.Static<typeof TokenAnswer.schema>['data']> {
  const { store, clock } = deps
  const deviceHash = hashToken(deviceCode)
  const now = clock.now()
  const asking = await store.transact(function* () {
    const asking = yield* store.deviceCodes.byDevice(deviceHash)
    if (asking) yield* store.deviceCodes.poll(deviceHash, now)
    return asking
  })
  if (!asking || asking.expiresAt <= now) throw new Refusal('expired-token')
  const elapsed = now - asking.polledAt
  if (elapsed >= 0 && elapsed < INTERVAL_MS) throw new Refusal('slow-down')
  if (asking.state === 'pending') throw new Refusal('authorization-pending')
  if (asking.state === 'denied') throw new Refusal('access-denied')
  return await issueKey(deps, deviceHash)
}

/** Makes the API key of a program, once. @throws {Refusal} `access-denied` when the account may not have it any more. */
async function issueKey(
  deps: DeviceContext,
  deviceHash: string,
): Promise<T.Static<typeof TokenAnswer.schema>['data']> {
  const { store, securityLog } = deps
  const { secret, key, owner, device } = await store.transact(function* () {
    const asking = yield* store.deviceCodes.take(deviceHash)
    const owner = asking?.userId && (yield* store.users.byId(asking.userId))
    const held: readonly string[] = owner ? scopesOf(owner) : []
    const scopes = asking?.scopes.filter((scope) => held.includes(scope)) ?? []
    if (!asking || !owner || owner.disabled || !held.includes('api-keys:manage') || scopes.length === 0)
      throw new Refusal('access-denied')
    const name = yield* freeName(deps, owner.id, asking.clientName)
    const { secret, key } = newKey(deps, { userId: owner.id, name, scopes })
    yield* store.keys.insert(key)
    const detail = 'Never expires'
    yield* insertActivity(deps, { userId: owner.id, type: 'api-key.created', target: name, detail })
    return { secret, key, owner, device: { ipAddress: asking.ipAddress, userAgent: asking.clientName } }
  })
  securityLog.record({ type: 'api-key.created', account: owner, device, detail: key.name })
  return { access_token: secret, token_type: 'API-Key', scope: key.scopes.join(' ') }
}

/** Returns the name of a program, or the first one with a number that no API key of the account has. */
function* freeName({ store }: DeviceContext, userId: string, wanted: string): Work<string> {
  let name = wanted
  for (let n = 2; yield* store.keys.byName(userId, name); n += 1) name = `${wanted} ${n}`
  return name
}

/** Returns the program that asks with a code. @throws {Refusal} `user-code-not-found`, `rate-limited`. */
export async function readAsking(
  deps: DeviceContext,
  caller: LocatedCaller,
  sent: string,
): Promise<T.Static<typeof AskingAnswer.schema>['data']> {
  const { store, clock } = deps
  const code = await readUserCode(deps, caller, sent)
  const asking = await store.deviceCodes.waiting(hashToken(code), clock.now())
  if (!asking) throw await refuseCode(deps, caller)
  const { clientName, scopes, ipAddress, expiresAt } = asking
  return {
    user_code: inGroups(code),
    status: 'pending',
    client_id: clientName,
    scopes: FILE_SCOPES.filter((scope) => scopes.includes(scope)),
    ipAddress,
    expiresAt: iso(expiresAt),
  }
}

/** Approves or denies a program. @throws {Refusal} `confirmation-required`, `user-code-not-found`, `rate-limited`. */
export async function respond(
  deps: DeviceContext,
  caller: LocatedCaller,
  { userCode, state }: { userCode: string; state: 'approved' | 'denied' },
): Promise<T.Static<typeof AnsweredAnswer.schema>['data']> {
  const { store, clock, securityLog } = deps
  if (state === 'approved') assertConfirmed(deps, caller)
  const code = await readUserCode(deps, caller, userCode)
  const asking = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    const answered = { state, userId: caller.user.id, now: clock.now() }
    return yield* store.deviceCodes.answer(hashToken(code), answered)
  })
  if (!asking) throw await refuseCode(deps, caller)
  const { user, device } = caller
  if (state === 'approved')
    securityLog.record({ type: 'device.approved', account: user, device, detail: asking.clientName })
  return { success: true }
}

/** Returns a code as it is stored, typed in any case and with any separators. @throws {Refusal} `rate-limited`. */
async function readUserCode(
  { wrongCodes }: DeviceContext,
  { user }: LocatedCaller,
  sent: string,
): Promise<string> {
  const wait = await wrongCodes.peek(user.id)
  if (wait > 0) throw refuseTooMany(wait)
  return sent.toUpperCase().replace(/[^A-Z]/g, '')
}

async function refuseCode({ wrongCodes }: DeviceContext, { user }: LocatedCaller): Promise<Refusal> {
  await wrongCodes.take(user.id)
  return new Refusal('user-code-not-found')
}
