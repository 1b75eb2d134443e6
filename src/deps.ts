import type { KeyUsage } from './access/key-usage.ts'
import type { Origins } from './access/origin.ts'
import type { Passwords } from './access/passwords.ts'
import type { Secrets } from './access/secrets.ts'
import type { SecurityLog } from './access/security-log.ts'
import type { SessionUses } from './access/session-uses.ts'
import type { SetupToken } from './access/setup-token.ts'
import type { SignInGuard } from './access/sign-in-guard.ts'
import type { Pages } from './modules/files/pages.ts'
import type { HotFiles } from './modules/hosting/hot-files.ts'
import type { Traffic } from './modules/hosting/traffic.ts'
import type { RequestCounts } from './modules/metrics/requests.ts'
import type { Settings } from './modules/settings/service.ts'
import type { Resumables } from './modules/uploads/resumables.ts'
import type { Assets } from './modules/web/assets.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Log } from './platform/log.ts'
import type { Random } from './platform/random.ts'
import type { RateLimiter } from './platform/rate-limit.ts'
import type { Store } from './store/store.ts'

/** Everything a feature is given. Nothing in it is global. */
export interface Deps {
  config: Config
  store: Store
  resumables: Resumables
  settings: Settings
  secrets: Secrets
  passwords: Passwords
  origins: Origins
  setupToken: SetupToken
  sessionUses: SessionUses
  traffic: Traffic
  requestCounts: RequestCounts
  keyUsage: KeyUsage
  hotFiles: HotFiles
  pages: Pages
  /** Resolves when it is time for a slice of long work: between two of anybody's, requests are answered. */
  nextTurn: () => Promise<void>
  /** The web app's files; empty when it was not built. */
  dashboard: Assets
  apiLimiter: RateLimiter
  hostingLimiter: RateLimiter
  /** Counts requests about uploads that were begun. */
  uploadLimiter: RateLimiter
  /** Counts failed sign-ins by address and e-mail. */
  signInLimiter: RateLimiter
  /** Slows sign-ins to an account down, whatever the addresses. */
  signInGuard: SignInGuard
  securityLog: SecurityLog
  /** The client's address, from the peer's and `X-Forwarded-For` as far as that is to be believed. */
  addressOf: (peer: string, forwardedFor: string | null) => string
  clientAddress: (request: Request) => string
  /** The `Date` of an answer that goes out now (RFC 9110 §6.6.1). */
  httpDate: () => string
  clock: Clock
  random: Random
  log: Log
  /** When the server started, in milliseconds since 1970. */
  startedAt: number
}
