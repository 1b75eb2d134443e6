import type { Validators } from '../../http/conditional.ts'
import { fileValidators } from '../../http/file-response.ts'
import { formatHttpDate } from '../../http/wire.ts'
import { segmentsOf } from '../../platform/names.ts'
import { iso } from '../../platform/time.ts'
import { contentType } from '../../store/bytes.ts'
import type { DavItemRow, FileRow, FolderRow } from '../../store/rows.ts'
import { element, elementWith, type Xml } from '../../xml/write.ts'
import type { Asked } from './context.ts'
import type { Lock } from './locks.ts'
import { type FileResource, pathOf } from './resource.ts'

export const DAV = 'DAV:'

/** Live properties: clients read them, and change none but the time. */
const LIVE = new Set([
  'creationdate',
  'getcontentlength',
  'getcontenttype',
  'getetag',
  'getlastmodified',
  'lastmodified',
  'lockdiscovery',
  'quota-available-bytes',
  'quota-used-bytes',
  'resourcetype',
  'supportedlock',
])

export const isLive = ({ namespace, name }: PropertyName): boolean => namespace === DAV && LIVE.has(name)

/** Returns a name in Clark notation. */
export const clarkOf = ({ namespace, name }: PropertyName): string => `{${namespace}}${name}`

/** Returns the name that is written in Clark notation. */
export function nameOf(clark: string): PropertyName {
  const end = clark.lastIndexOf('}')
  return { namespace: clark.slice(1, end), name: clark.slice(end + 1) }
}

/** Name of a property. */
export interface PropertyName {
  namespace: string
  name: string
}

/** Columns of a file that its properties come from. */
export const FILE_COLUMNS = [
  'id',
  'name',
  'size',
  'mimeType',
  'isUtf8',
  'blobId',
  'createdAt',
  'updatedAt',
  'sha256',
] as const

/** File or folder in a listing. Without a row it is a folder above those of the caller. */
export type Item = { key: string } & (
  | { kind: 'file'; row: Pick<FileRow, (typeof FILE_COLUMNS)[number]> }
  | { kind: 'folder'; row: FolderRow | undefined }
)

/** Storage of the caller in bytes (RFC 4331). */
export interface Room {
  used: number
  available: number
}

const SUPPORTED_LOCKS: Xml[] = ['exclusive', 'shared'].map((scope) =>
  element(
    'D:lockentry',
    element('D:lockscope', element(`D:${scope}`)),
    element('D:locktype', element('D:write')),
  ),
)

/** Describes a lock (RFC 4918 §15.8). */
export const activeLock = ({ isShared, isDeep, owner, timeoutMs, token, key }: Lock): Xml =>
  element(
    'D:activelock',
    element('D:locktype', element('D:write')),
    element('D:lockscope', element(isShared ? 'D:shared' : 'D:exclusive')),
    element('D:depth', isDeep ? 'infinity' : '0'),
    { xml: owner },
    element('D:timeout', `Second-${timeoutMs / 1000}`),
    element('D:locktoken', element('D:href', token)),
    element('D:lockroot', element('D:href', pathOf(segmentsOf(key), 'file'))),
  )

/** Returns the time that a client gave the present content of a file; `undefined` for none. */
export const timeKept = (
  { sha256 }: Pick<FileRow, 'sha256'>,
  kept: DavItemRow | undefined,
): number | undefined => (kept?.sha256 === sha256 ? (kept.modifiedAt ?? undefined) : undefined)

/** Returns the time that clients are shown for the present state of a file; `undefined` for that of its bytes. */
export async function shownOf(
  { store, clock }: Asked['deps'],
  { row, key }: FileResource,
): Promise<Validators | undefined> {
  const [kept] = await store.davItems.of([row.id])
  const lastModified = timeKept(row, kept)
  const state = lastModified === undefined ? undefined : store.stateOf({ ...row, key })
  if (!state || lastModified === undefined) return undefined
  return { etag: fileValidators({ ...state, now: clock.now() }).etag, lastModified }
}

/** Returns the live properties of an item in the namespace `DAV:`, by name (RFC 4918 §15). */
export function liveProperties(
  { deps, locks }: Pick<Asked, 'deps' | 'locks'>,
  item: Item,
  { room, kept }: { room: Room | undefined; kept: DavItemRow | undefined },
): Map<string, (Xml | string)[]> {
  const found = new Map<string, (Xml | string)[]>()
  found.set('resourcetype', item.kind === 'folder' ? [element('D:collection')] : [])
  if (item.row) found.set('creationdate', [iso(item.row.createdAt)])
  if (item.kind === 'file') {
    const { row, key } = item
    const state = deps.store.stateOf({ ...row, key }) ?? { size: row.size, mtimeMs: row.updatedAt }
    const { etag, lastModified } = fileValidators({ ...state, now: deps.clock.now() })
    found.set('getcontentlength', [String(state.size)])
    found.set('getcontenttype', [contentType(row)])
    found.set('getetag', [etag])
    found.set('getlastmodified', [formatHttpDate(timeKept(row, kept) ?? lastModified)])
  } else {
    if (item.row) found.set('getlastmodified', [formatHttpDate(kept?.modifiedAt ?? item.row.updatedAt)])
    if (room) {
      found.set('quota-available-bytes', [String(room.available)])
      found.set('quota-used-bytes', [String(room.used)])
    }
  }
  found.set('supportedlock', SUPPORTED_LOCKS)
  found.set('lockdiscovery', locks.covering(item.key).map(activeLock))
  return found
}

/** Writes a property: those of `DAV:` with the prefix of the document. */
export const property = ({ namespace, name }: PropertyName, ...content: readonly (Xml | string)[]): Xml =>
  namespace === DAV ? element(`D:${name}`, ...content) : elementWith(name, { xmlns: namespace }, ...content)
