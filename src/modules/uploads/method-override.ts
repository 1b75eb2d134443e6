import { reinterpret } from '../../http/exchange.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { isUpload } from './path.ts'

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** The value of `X-HTTP-Method-Override` on a tus route; null elsewhere, where the header means nothing. */
function overrideOf({ url, headers }: Request): string | null {
  const method = headers.get('x-http-method-override')
  return method !== null && isUpload(new URL(url).pathname) ? method : null
}

/**
 * Returns a request to a tus route by the method in its `X-HTTP-Method-Override`, whatever it was sent as: for
 * clients that cannot send PATCH or DELETE (tus 1.0.0, core protocol).
 */
export function overrideMethod(request: Request): Request {
  const method = overrideOf(request)
  return method !== null && METHODS.includes(method) ? reinterpret(request, method) : request
}

/** @throws {Refusal} `invalid` for a method that `overrideMethod` does not know. */
export function assertKnownOverride(request: Request): void {
  const method = overrideOf(request)
  if (method !== null && !METHODS.includes(method))
    throw refuseInvalid(`"X-HTTP-Method-Override" must be one of ${METHODS.join(', ')}`)
}
