import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { refuseRight } from '../../store/tree.ts'
import { childrenOf, type XmlElement } from '../../xml/read.ts'
import { element, elementWith, writeElement, type Xml, xmlResponse } from '../../xml/write.ts'
import type { Asked } from './context.ts'
import { addLock, type Lock, MAX_LOCK_MS, refreshLock, removeLocks } from './locks.ts'
import { davError } from './problem.ts'
import { activeLock, DAV } from './properties.ts'
import { readDepth, readXmlBody } from './propfind.ts'
import { storeNew } from './put.ts'
import { findPlace, findResource, requireResource } from './resource.ts'

/** Maximum length of what a client writes about itself. */
const MAX_OWNER = 2048

const described = (lock: Lock, status = 200, headers: Record<string, string> = {}): Response =>
  xmlResponse(
    elementWith('D:prop', { 'xmlns:D': DAV }, element('D:lockdiscovery', activeLock(lock))),
    status,
    headers,
  )

/** Returns the requested life of a lock in milliseconds, an hour at most. */
function readTimeout(header: string | null): number {
  const [, seconds] = /(?:^|,)\s*second-(\d{1,10})\s*(?:,|$)/i.exec(header ?? '') ?? []
  return Math.min(Math.max(Number(seconds ?? Number.POSITIVE_INFINITY), 1) * 1000, MAX_LOCK_MS)
}

interface Wanted {
  isShared: boolean
  /** Element in XML; empty for none. */
  owner: string
}

function readWanted(body: XmlElement): Wanted {
  const [scope] = childrenOf(body, DAV, 'lockscope')
  const [type] = childrenOf(body, DAV, 'locktype')
  const isShared = scope !== undefined && childrenOf(scope, DAV, 'shared').length > 0
  const isKnown = isShared || (scope && childrenOf(scope, DAV, 'exclusive').length > 0)
  if (body.namespace !== DAV || body.name !== 'lockinfo' || !isKnown || !type)
    throw refuseInvalid('The body must be a "lockinfo" with a scope and a type')
  const [owner] = childrenOf(body, DAV, 'owner')
  const written = owner ? ownerOf(owner).xml : ''
  return { isShared, owner: written.length <= MAX_OWNER ? written : '' }
}

const ownerOf = (owner: XmlElement): Xml =>
  element(
    'D:owner',
    ...owner.children.map((child) => (typeof child === 'string' ? child : writeElement(child))),
  )

/** Locks a resource, and a new file in place of none; without a body it refreshes a lock (RFC 4918 §9.10). */
export async function lock(asked: Asked): Promise<Response> {
  const { deps, caller, locks, request, names, tokens } = asked
  const timeoutMs = readTimeout(request.headers.get('timeout'))
  const body = await readXmlBody(request)
  const key = names.join('/')
  if (!body) {
    const held = locks
      .covering(key)
      .find(({ token, userId }) => tokens.has(token) && userId === caller.user.id)
    if (!held) throw new Refusal('precondition-failed', '"If" has no token of a lock on this')
    return described(await refreshLock(deps, held, timeoutMs))
  }
  const wanted = readWanted(body)
  const isDeep = readDepth(request.headers, 'infinity') !== '0'
  const found = await deps.store.read(function* () {
    const found = yield* findResource(deps, names)
    // A caller sees only the way through a place above its folders.
    if (found && !found.row) throw refuseRight('write')
    const folderId = found?.kind === 'file' ? found.row.folderId : found?.row?.id
    if (folderId !== undefined) yield* deps.store.assertRight(folderId, 'write')
    return found
  })
  const place = found ? undefined : await deps.store.read(() => findPlace(deps, names))
  if (place) locks.assertOpen(key, { userId: caller.user.id, tokens }, 'existence')
  const made = await addLock(deps, { ...wanted, key, isDeep, userId: caller.user.id, timeoutMs })
  const headers = { 'Lock-Token': `<${made.token}>` }
  if (!place) return described(made, 200, headers)
  try {
    await storeNew(deps, caller, { ...place, request: new Request(request.url, { method: 'PUT' }) })
  } catch (error) {
    await removeLocks(deps, [made])
    throw error
  }
  return described(made, 201, headers)
}

/** Ends a lock (RFC 4918 §9.11). */
export async function unlock({ deps, caller, locks, request, names }: Asked): Promise<Response> {
  const [, token] = /^\s*<([^>]+)>\s*$/.exec(request.headers.get('lock-token') ?? '') ?? []
  if (token === undefined) throw refuseInvalid('"Lock-Token" must be a token in angle brackets')
  await deps.store.read(() => requireResource(deps, names))
  const held = locks.covering(names.join('/')).find((lock) => lock.token === token)
  if (!held) return davError(409, 'This is not locked by that token', '<D:lock-token-matches-request-uri/>')
  if (held.userId !== caller.user.id) throw new Refusal('forbidden', 'Another account has this lock')
  await removeLocks(deps, [held])
  return new Response(null, { status: 204 })
}
