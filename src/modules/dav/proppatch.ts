import { assertStillAllowed } from '../../access/caller.ts'
import { parseHttpDate } from '../../http/conditional.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import type { DavItemRow, Work } from '../../store/rows.ts'
import { refuseRight } from '../../store/tree.ts'
import { childrenOf, textOf, type XmlElement } from '../../xml/read.ts'
import { element, writeElement } from '../../xml/write.ts'
import { assertOpen } from './changes.ts'
import type { Asked } from './context.ts'
import { clarkOf, DAV, isLive, property } from './properties.ts'
import { multiStatus, propstat, readXmlBody } from './propfind.ts'
import { pathOf, type Resource, requireResource } from './resource.ts'

/** Maximum bytes of the dead properties of one file or folder. */
const MAX_PROPERTY_BYTES = 16 * 1024
/** Reason why a property was refused (RFC 4918 §16). */
const PROTECTED = element('D:error', element('D:cannot-modify-protected-property'))
const MICROSOFT = 'urn:schemas-microsoft-com:'

type Kept = Pick<DavItemRow, 'modifiedAt' | 'properties'>

/** Change of one property: a value, or none to remove it. */
interface Change {
  named: XmlElement
  isRemoved: boolean
}

function readChanges(body: XmlElement | undefined): Change[] {
  if (body?.namespace !== DAV || body.name !== 'propertyupdate')
    throw refuseInvalid('The body must be a "propertyupdate"')
  const changes = childrenOf(body, DAV).flatMap((step) => {
    if (step.name !== 'set' && step.name !== 'remove') return []
    const properties = childrenOf(step, DAV, 'prop').flatMap(({ children }) => children)
    return properties
      .filter((child) => typeof child !== 'string')
      .map((named) => ({ named, isRemoved: step.name === 'remove' }))
  })
  if (changes.length === 0) throw refuseInvalid('"propertyupdate" must set or remove a property')
  return changes
}

/**
 * Returns the time that a client sets by a property, in milliseconds; `undefined` for any other property. Windows, ownCloud's
 * clients and RFC 4918 name it differently.
 */
function timeIn(named: XmlElement, now: number): number | undefined {
  const { namespace, name } = named
  const text = textOf(named).trim()
  if (namespace === DAV && name === 'lastmodified') return secondsOf(text)
  const isDate =
    (namespace === DAV && name === 'getlastmodified') ||
    (namespace === MICROSOFT && name === 'Win32LastModifiedTime')
  return isDate ? parseHttpDate(text, now) : undefined
}

/** Returns the milliseconds of a time in seconds since 1970; `undefined` for any other text. */
const secondsOf = (text: string): number | undefined =>
  /^\d{1,11}(?:\.\d+)?$/.test(text) ? Math.floor(Number(text)) * 1000 : undefined

/** Changes properties, all of them or none (RFC 4918 §9.2). */
export async function proppatch(asked: Asked): Promise<Response> {
  const { deps, request, names } = asked
  const changes = readChanges(await readXmlBody(request))
  const now = deps.clock.now()
  const isRefused = ({ named, isRemoved }: Change) =>
    isLive(named) && (isRemoved || timeIn(named, now) === undefined)
  const answer = (kind: Resource['kind'], statusOf: (change: Change) => string) =>
    multiStatus(
      element(
        'D:response',
        element('D:href', pathOf(names, kind)),
        ...changes.map((change) =>
          propstat(statusOf(change), [property(change.named)], ...(isRefused(change) ? [PROTECTED] : [])),
        ),
      ),
    )
  // Before the locks, which are also of what is outside.
  const { kind } = await deps.store.read(() => requireResource(deps, names))
  if (changes.some(isRefused))
    return answer(kind, (change) => (isRefused(change) ? '403 Forbidden' : '424 Failed Dependency'))
  assertOpen(asked, names, 'content')
  let isFull = false
  await changeKept(asked, (kept) => {
    const changed = applied(kept, changes, now)
    isFull = Buffer.byteLength(JSON.stringify(changed.properties)) > MAX_PROPERTY_BYTES
    return isFull ? kept : changed
  })
  return answer(kind, () => (isFull ? '507 Insufficient Storage' : '200 OK'))
}

function applied(kept: Kept, changes: readonly Change[], now: number): Kept {
  const properties = { ...kept.properties }
  let { modifiedAt } = kept
  for (const { named, isRemoved } of changes) {
    const time = isRemoved ? undefined : timeIn(named, now)
    if (time !== undefined) modifiedAt = time
    if (isRemoved) delete properties[clarkOf(named)]
    else if (!isLive(named)) properties[clarkOf(named)] = writeElement(named).xml
  }
  return { modifiedAt, properties }
}

/** Changes what is kept with a file or folder. A time belongs to the bytes that a file has now. */
async function changeKept({ deps, caller, names }: Asked, change: (kept: Kept) => Kept): Promise<void> {
  const { store } = deps
  return store.transact(function* (): Work<void> {
    yield* assertStillAllowed(deps, caller, 'files:write')
    const { row } = yield* requireResource(deps, names)
    if (!row) throw refuseRight('write')
    yield* store.assertRight('folderId' in row ? row.folderId : row.id, 'write')
    const [kept] = yield* store.davItems.of([row.id])
    const sha256 = 'sha256' in row ? row.sha256 : null
    const modifiedAt = kept?.sha256 === sha256 ? (kept?.modifiedAt ?? null) : null
    const changed = change({ modifiedAt, properties: kept?.properties ?? {} })
    yield* store.davItems.put({ itemId: row.id, sha256, ...changed })
  })
}

/** Keeps the time that a client sends with a file, as ownCloud's clients and rclone do. Returns the header that says so. */
export async function keepTime(asked: Asked): Promise<Record<string, string>> {
  const modifiedAt = secondsOf(asked.request.headers.get('x-oc-mtime')?.trim() ?? '')
  if (modifiedAt === undefined) return {}
  await changeKept(asked, (kept) => ({ ...kept, modifiedAt }))
  return { 'X-OC-MTime': 'accepted' }
}
