import type { Config } from '../config.ts'
import { Refusal } from '../errors.ts'
import { isSafe } from '../http/safe-methods.ts'

/**
 * Keeps other sites from acting through a visitor's session (spec: open points §2): a request that changes
 * something and carries a session cookie must come from a trusted origin when it names one. Apps send
 * `expo-origin`, which counts when there is no `Origin`.
 *
 * @throws {Refusal} `forbidden`.
 */
export function assertTrustedOrigin(
  request: Request,
  config: Pick<Config, 'baseUrl' | 'trustedOrigins'>,
): void {
  if (isSafe(request)) return
  const origin = request.headers.get('origin') ?? request.headers.get('expo-origin')
  if (origin !== null && !isTrusted(origin, config)) {
    throw new Refusal('forbidden', 'Invalid origin', { code: 'INVALID_ORIGIN' })
  }
}

/** The stricter rule of `/api/auth/*`: with a cookie, a change must say where it comes from. */
export function assertNamedOrigin(request: Request): void {
  if (isSafe(request) || !request.headers.has('cookie')) return
  if (['origin', 'referer', 'expo-origin'].some((name) => request.headers.has(name))) return
  throw new Refusal('forbidden', 'Missing or null Origin', { code: 'MISSING_OR_NULL_ORIGIN' })
}

function isTrusted(
  origin: string,
  { baseUrl, trustedOrigins }: Pick<Config, 'baseUrl' | 'trustedOrigins'>,
): boolean {
  return [baseUrl, ...trustedOrigins].some((trusted) =>
    trusted.endsWith('://') ? origin.startsWith(trusted) : origin === trusted,
  )
}
