import type { Origins } from './auth/origin.ts'
import type { Passwords } from './auth/passwords.ts'
import type { Secrets } from './auth/secrets.ts'
import type { SecurityLog } from './auth/security-log.ts'
import type { SessionUses } from './auth/session-uses.ts'
import type { SetupToken } from './auth/setup-token.ts'
import type { SignInGuard } from './auth/sign-in-guard.ts'
import type { Catalog } from './catalog/open.ts'
import type { Config } from './config.ts'
import type { Pages } from './files/pages.ts'
import type { HotFiles } from './hosting/hot-files.ts'
import type { Traffic } from './hosting/traffic.ts'
import type { RateLimiter } from './http/rate-limit.ts'
import type { KeyUsage } from './keys/usage.ts'
import type { RequestCounts } from './metrics/requests.ts'
import type { Settings } from './settings/service.ts'
import type { Scrub } from './storage/scrub.ts'
import type { Storage } from './storage/storage.ts'
import type { Resumables } from './uploads/resumables.ts'
import type { Volume } from './volume/open.ts'
import type { Assets } from './web/assets.ts'

/** Where time comes from. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now: () => number
  /** Milliseconds that only ever grow, whatever happens to the wall clock. */
  monotonic: () => number
}

/** Where chance comes from. */
export interface Random {
  bytes: (count: number) => Uint8Array
  /** A new UUID. */
  id: () => string
}

/** What belongs to a line of the log, by name. Never a secret: no query, no header, no body. */
export type LogFields = Readonly<Record<string, string | number>>

export interface Log {
  info: (message: string, fields?: LogFields) => void
  /** `error` is for the operator only; no client sees it. */
  error: (message: string, error: unknown, fields?: LogFields) => void
  /** Missing when nobody wants to know that much. */
  debug?: (message: string, fields: LogFields) => void
}

/** Everything a feature is given. Nothing in it is global. */
export interface Deps {
  config: Config
  catalog: Catalog
  volume: Volume
  storage: Storage
  scrub: Scrub
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
