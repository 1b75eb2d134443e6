import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { joinKey, segmentsOf } from '../../platform/names.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import type { DavItemRow, Snapshot, Work } from '../../store/rows.ts'
import { foldersIn } from '../../views/folders.ts'
import { textStream } from '../../views/lists.ts'
import { childrenOf, readXml, type XmlElement, XmlError } from '../../xml/read.ts'
import { element, XML_DECLARATION, type Xml } from '../../xml/write.ts'
import type { Asked } from './context.ts'
import { davError } from './problem.ts'
import {
  clarkOf,
  DAV,
  FILE_COLUMNS,
  type Item,
  liveProperties,
  nameOf,
  type PropertyName,
  property,
  type Room,
} from './properties.ts'
import { type FolderResource, pathOf, requireResource } from './resource.ts'

/** Maximum size of a body in XML, in bytes. */
const MAX_XML_BYTES = 64 * 1024
/** Maximum characters of the properties that a client names: each item of the response repeats them. */
const MAX_NAMED = 16 * 1024
/** Maximum files, and folders, of a response that is written in one piece. */
const PAGE = 500

/** Properties that a client asks for. */
type Wanted = { which: 'all' } | { which: 'names' } | { which: 'some'; names: readonly PropertyName[] }

/** Reads a body in XML; `undefined` when there is none. @throws {Refusal} `invalid`, `too-large`. */
export async function readXmlBody(request: Request): Promise<XmlElement | undefined> {
  const { shortBodies, clientAddress } = exchangeOf(request)
  const bytes = await shortBodies.read(request, {
    maxBytes: MAX_XML_BYTES,
    client: rateLimitBucket(clientAddress),
    parse: (bytes) => bytes.slice(),
  })
  if (bytes.length === 0) return undefined
  try {
    return readXml(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    if (error instanceof XmlError) throw refuseInvalid(`The body must be XML: ${error.message}`)
    throw refuseInvalid('The body must be XML in UTF-8')
  }
}

function readWanted(body: XmlElement | undefined): Wanted {
  if (!body) return { which: 'all' }
  if (body.namespace !== DAV || body.name !== 'propfind') throw refuseInvalid('The body must be a "propfind"')
  const [prop] = childrenOf(body, DAV, 'prop')
  if (prop) return { which: 'some', names: namesIn(prop) }
  if (childrenOf(body, DAV, 'propname').length > 0) return { which: 'names' }
  if (childrenOf(body, DAV, 'allprop').length > 0) return { which: 'all' }
  throw refuseInvalid('"propfind" must contain "prop", "propname" or "allprop"')
}

function namesIn({ children }: XmlElement): PropertyName[] {
  const names = children.filter((child) => typeof child !== 'string')
  if (names.reduce((sum, named) => sum + property(named).xml.length, 0) > MAX_NAMED)
    throw refuseInvalid('"prop" names too many properties')
  return names
}

/** Returns the depth of a request. @throws {Refusal} `invalid`. */
export function readDepth(headers: Headers, otherwise: Depth): Depth {
  const sent = headers.get('depth')?.trim().toLowerCase() ?? otherwise
  if (sent === '0' || sent === '1' || sent === 'infinity') return sent
  throw refuseInvalid('"Depth" must be 0, 1 or infinity')
}

type Depth = '0' | '1' | 'infinity'

const MULTI_STATUS = { 'Content-Type': 'application/xml; charset=utf-8' }
const START = `${XML_DECLARATION}<D:multistatus xmlns:D="DAV:">`
const END = '</D:multistatus>'

export const multiStatus = (...responses: readonly Xml[]): Response =>
  new Response(`${START}${responses.map(({ xml }) => xml).join('')}${END}`, {
    status: 207,
    headers: MULTI_STATUS,
  })

/** Writes properties with one status. */
export const propstat = (status: string, properties: readonly Xml[], ...error: readonly Xml[]): Xml =>
  element('D:propstat', element('D:prop', ...properties), element('D:status', `HTTP/1.1 ${status}`), ...error)

/** Lists a resource, and at depth 1 what is directly in it (RFC 4918 §9.1). */
export async function propfind(asked: Asked): Promise<Response> {
  const { deps, request, names } = asked
  const depth = readDepth(request.headers, 'infinity')
  const wanted = readWanted(await readXmlBody(request))
  if (depth === 'infinity')
    return davError(403, 'List one folder at a time: "Depth" must be 0 or 1', '<D:propfind-finite-depth/>')
  const { top, items } = await deps.store.read(function* () {
    const top = yield* requireResource(deps, names)
    const isAlone = depth === '0' || top.kind === 'file'
    return { top, items: isAlone ? [] : yield* childrenAtOnce(deps, top) }
  })
  const describe = describer(asked, wanted, await roomOf(asked, wanted))
  if (items || top.kind === 'file') return multiStatus(...(await describe([top, ...(items ?? [])])))
  const leaving = leavingOf(request)
  const snapshot = await deps.store.readers.snapshot(leaving)
  const texts = textsOf(snapshot, top, describe)
  return new Response(textStream(deps, { snapshot, texts, leaving }), { status: 207, headers: MULTI_STATUS })
}

/** Returns what is directly in a folder; `undefined` when it is too much for one piece. */
function* childrenAtOnce({ store }: Asked['deps'], folder: FolderResource): Work<Item[] | undefined> {
  const { row, key } = folder
  if (!row) return childrenAbove(folder)
  const folders = yield* store.folders.inFolderAfter(row.id, '', PAGE + 1)
  const files = folders.length > PAGE ? [] : yield* store.files.inFolderAfter(row.id, '', PAGE + 1)
  if (folders.length > PAGE || files.length > PAGE) return undefined
  const place = <Row extends { name: string }>(row: Row) => ({ row, key: joinKey(key, row.name) })
  return [
    ...folders.map((row) => ({ kind: 'folder' as const, ...place(row) })),
    ...files.map((row) => ({ kind: 'file' as const, ...place(row) })),
  ]
}

/** Returns the next folders on the way from a place to the folders of a caller. */
function childrenAbove({ key, below }: FolderResource): Item[] {
  const level = segmentsOf(key).length + 1
  const rows = new Map(below.map(({ row, key }) => [key, row]))
  const keys = new Set(below.map((top) => segmentsOf(top.key).slice(0, level).join('/')))
  return [...keys].map((key) => ({ kind: 'folder', key, row: rows.get(key) }))
}

async function* textsOf(
  snapshot: Snapshot,
  { row, key, ...top }: FolderResource,
  describe: (items: readonly Item[]) => Promise<Xml[]>,
): AsyncGenerator<string> {
  const texts = async (items: readonly Item[]) => (await describe(items)).map(({ xml }) => xml).join('')
  yield `${START}${await texts([{ ...top, row, key }])}`
  const id = row?.id ?? ''
  for await (const slice of foldersIn(snapshot, id))
    yield await texts(slice.map((row) => ({ kind: 'folder', row, key: joinKey(key, row.name) })))
  for await (const slice of snapshot.filesIn(FILE_COLUMNS)(id))
    yield await texts(slice.map((row) => ({ kind: 'file', row, key: joinKey(key, row.name) })))
  yield END
}

/** Returns a function that describes items by the properties that a client asks for. */
function describer(
  asked: Asked,
  wanted: Wanted,
  room: Room | undefined,
): (items: readonly Item[]) => Promise<Xml[]> {
  return async (items) => {
    const rows = await asked.deps.store.davItems.of(items.flatMap(({ row }) => row?.id ?? []))
    const keptOf = new Map(rows.map((row) => [row.itemId, row]))
    return items.map((item) => {
      const kept = keptOf.get(item.row?.id ?? '')
      const href = element('D:href', pathOf(segmentsOf(item.key), item.kind))
      return element(
        'D:response',
        href,
        ...statsOf(allOf(liveProperties(asked, item, { room, kept }), kept), wanted),
      )
    })
  }
}

/** Returns the live and dead properties of an item in XML, by their names in Clark notation. */
function allOf(live: ReadonlyMap<string, (Xml | string)[]>, kept: DavItemRow | undefined): Map<string, Xml> {
  const all = new Map(Object.entries(kept?.properties ?? {}).map(([clark, xml]) => [clark, { xml }]))
  for (const [name, content] of live) {
    const named = { namespace: DAV, name }
    all.set(clarkOf(named), property(named, ...content))
  }
  return all
}

function statsOf(all: ReadonlyMap<string, Xml>, wanted: Wanted): Xml[] {
  if (wanted.which === 'all') return [propstat('200 OK', [...all.values()])]
  if (wanted.which === 'names')
    return [
      propstat(
        '200 OK',
        [...all.keys()].map((clark) => property(nameOf(clark))),
      ),
    ]
  const present: Xml[] = []
  const missing: Xml[] = []
  for (const named of wanted.names) {
    const found = all.get(clarkOf(named))
    if (found) present.push(found)
    else missing.push(property(named))
  }
  const stats = missing.length > 0 ? [propstat('404 Not Found', missing)] : []
  return present.length > 0 || stats.length === 0 ? [propstat('200 OK', present), ...stats] : stats
}

/** Returns the storage of the caller, when a client asks for it by name (RFC 4331 §3). */
async function roomOf({ deps, caller }: Asked, wanted: Wanted): Promise<Room | undefined> {
  const isWanted = wanted.which === 'some' && wanted.names.some(({ name }) => name.startsWith('quota-'))
  if (!isWanted) return undefined
  const { quota, usedBytes: used } = await deps.store.quotas.of(caller.user.id)
  const { available } = deps.store.space()
  return { used, available: Math.max(0, Math.min(available, (quota ?? Number.MAX_SAFE_INTEGER) - used)) }
}
