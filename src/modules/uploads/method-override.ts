import { reinterpret } from '../../http/exchange.ts'
import { refuseInvalid } from '../../platform/errors.ts'

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

const overrideOf = ({ headers }: Request) => headers.get('x-http-method-override')

/**
 * Returns a request to a tus route with the method in its `X-HTTP-Method-Override`, whatever its own: for
 * clients that cannot send PATCH or DELETE (tus 1.0.0, core protocol).
 */
export function overrideMethod(request: Request): Request {
  const method = overrideOf(request)
  return method !== null && METHODS.includes(method) ? reinterpret(request, method) : request
}

/**
 * Asserts that `overrideMethod` knows the method.
 *
 * @throws {Refusal} `invalid` when it does not.
 */
export function assertKnownOverride(request: Request): void {
  const method = overrideOf(request)
  if (method !== null && !METHODS.includes(method))
    throw refuseInvalid(`"X-HTTP-Method-Override" must be one of ${METHODS.join(', ')}`)
}
