import { type Caller, identify } from '../../access/caller.ts'
import { findSession } from '../../access/sessions.ts'
import { exchangeOf } from '../../http/exchange.ts'
import { fileResponse } from '../../http/file-response.ts'
import { contentType } from '../../store/bytes.ts'
import { fileNotFound } from '../../views/files.ts'
import { authorize, readerOf, resolve } from './access.ts'
import { HOSTING_PREFIX, type HostingContext } from './context.ts'
import { presentation } from './hosted-file.ts'
import { scale } from './scaled.ts'

/**
 * Serves a file by its key: resolves the target, authorizes the caller, responds. A private file without access, a
 * missing key and a key that cannot be one are the same 404.
 *
 * @param sessionToken The token of a session cookie whose signature is good.
 * @throws {Refusal} `not-found`, `precondition-failed`, `range-not-satisfiable`.
 */
export async function serveHosted(
  deps: HostingContext,
  request: Request,
  sessionToken: string | undefined,
): Promise<Response> {
  const caller = await identify(deps, request, () => sessionToken)
  const exchange = exchangeOf(request)
  const isCounted = !exchange.isHead && !(await isSignedIn(deps, request, { caller, sessionToken }))

  const reader = await readerOf(deps, caller)
  const found = resolve(deps, addressOf(request))
  const target = found instanceof Promise ? await found : found
  const granted = authorize(deps, target, reader)
  // Called in the turn in which a database in this process was asked.
  const opened =
    granted === 'denied' ? undefined : await deps.store.openFile({ ...granted.file, key: target.key })
  if (granted === 'denied' || !opened) {
    if (isCounted) deps.traffic.missed()
    throw fileNotFound()
  }

  const { file } = granted
  const whole = { ...presentation(deps, target, file), mediaType: contentType(file) }
  const scaled = target.query.has('width')
    ? await scale(deps, request, { target, granted, opened })
    : undefined
  const response = scaled
    ? fileResponse(request, scaled.picture, { ...whole, ...scaled.options })
    : fileResponse(request, opened, whole)
  if (isCounted) exchange.onDelivered = (bytes) => deps.traffic.served(file.id, bytes)
  return response
}

/** Returns the part of a hosting request's path and query behind the prefix. */
const addressOf = ({ url }: Request): string => url.slice(url.indexOf(HOSTING_PREFIX) + HOSTING_PREFIX.length)

/** Returns true for a session: its requests are its owner looking around, not traffic; an API key's are. */
async function isSignedIn(
  deps: HostingContext,
  { headers }: Request,
  { caller, sessionToken }: { caller: Caller | undefined; sessionToken: string | undefined },
): Promise<boolean> {
  if (sessionToken === undefined || !headers.has('api-key')) return caller?.via === 'session'
  return (await deps.store.read(() => findSession(deps, sessionToken))) !== undefined
}
