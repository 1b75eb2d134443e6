import { createClientAddress } from '../platform/client-address.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import { KeyUsage } from './caller.ts'
import { ForwardAuth } from './forward-auth.ts'
import { Origins } from './origin.ts'
import { createPasswords, type PasswordCost, type Passwords } from './passwords.ts'
import { deriveSecrets, keptSecret, type Secrets } from './secrets.ts'
import { SecurityLog } from './security-log.ts'
import { SessionUses } from './session-uses.ts'
import { endSessionsOfOtherSecret } from './sessions.ts'
import { SetupToken } from './setup-token.ts'
import { FAILURES_MS, FREE_FAILURES, SignInGuard, TRY_MS } from './sign-in-guard.ts'
import { type AccountGuard, limiterOf, SharedSignInGuard, type SignInLimiter } from './sign-in-limits.ts'

const FAILED_SIGN_INS_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** State behind authentication and authorization. */
export interface Access {
  secrets: Secrets
  passwords: Passwords
  origins: Origins
  setupToken: SetupToken
  sessionUses: SessionUses
  keyUsage: KeyUsage
  securityLog: SecurityLog
  /** Counts failed sign-ins by address and e-mail. */
  signInLimiter: SignInLimiter
  /** Slows down sign-ins to one account from many addresses. */
  signInGuard: AccountGuard
  /** Reads the header of a trusted proxy; missing without one. */
  forwardAuth: ForwardAuth | undefined
  /** Returns a client's address as `ClientAddress.resolve` does; missing without trusted proxies: it is the peer's. */
  addressOf: ((peer: string, forwardedFor: string | null) => string) | undefined
}

/** Opens the state of authentication. Sessions end here when `AUTH_SECRET` has changed. */
export async function openAccess(
  platform: Platform,
  store: Store,
  passwordCost?: PasswordCost,
): Promise<Access> {
  const { config, clock, random, log } = platform
  const { resolve, isProxy } = createClientAddress(config.trustedProxies)
  const secrets = deriveSecrets(config.authSecret ?? keptSecret(store.root, { random, log }))
  await endSessionsOfOtherSecret({ store, log }, secrets)
  return {
    secrets,
    passwords: createPasswords(passwordCost),
    origins: new Origins({ config, isProxy }),
    setupToken: await SetupToken.open({ config, store, random }),
    sessionUses: new SessionUses({ store, clock }),
    keyUsage: new KeyUsage({ store, clock }),
    securityLog: new SecurityLog({ store, clock, random, log }),
    ...signInLimits(platform, store),
    forwardAuth: config.signIn.forwardAuth && new ForwardAuth(config.signIn.forwardAuth),
    addressOf: config.trustedProxies.length === 0 ? undefined : resolve,
  }
}

/** Creates the limits of sign-ins, which several servers count together. */
function signInLimits(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  store: Pick<Store, 'throttles'>,
): Pick<Access, 'signInLimiter' | 'signInGuard'> {
  const { monotonic } = clock
  const limit = { name: 'sign-in', limit: FAILED_SIGN_INS_PER_MINUTE, windowMs: MINUTE_MS }
  const failures = { failures: FREE_FAILURES, windowMs: FAILURES_MS, tryMs: TRY_MS }
  return {
    signInLimiter: limiterOf({ store, clock }, limit),
    signInGuard: store.throttles
      ? new SharedSignInGuard(store.throttles, failures)
      : new SignInGuard({ monotonic, seed: Buffer.from(random.bytes(4)).readUInt32LE() }),
  }
}
