import * as T from 'typebox'
import Value from 'typebox/value'
import type { TreeContext } from '../../access/context.ts'
import { isAtOrBelow } from '../../platform/names.ts'
import type { Noted, Work } from '../../store/rows.ts'
import type { Area, ChangedFolder, Changes } from './model.ts'

const Ids = T.Array(T.String())

const Announced = T.Object({
  node: T.String(),
  noted: T.Object({
    added: T.Record(T.String(), T.Union([Ids, T.Null()])),
    files: Ids,
    folders: Ids,
    below: Ids,
    left: T.Record(T.String(), T.String()),
    accounts: Ids,
    writes: Ids,
    isIncomplete: T.Boolean(),
  }),
})

/** Writes an announcement of changes to the servers that share a database. */
export const writeAnnounced = (node: string, noted: Noted): string => JSON.stringify({ node, noted })

/** Reads an announcement; `undefined` when another version of the program has written it. */
export function readAnnounced(text: string): T.Static<typeof Announced> | undefined {
  try {
    return Value.Parse(Announced, JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Maximum folders of one event, and maximum bytes of what it lists. For more, it has the folder above all of them. */
const MAX_FOLDERS = 100
const MAX_LISTED_BYTES = 32 * 1024

/** Statements that may change the access of callers. */
const ACCESS =
  /^(delete (sessions|api_keys)|update users|delete users|update api_keys|(insert|update|delete) folder_grants|(insert|update) settings)$/

const AREA_OF: Record<string, Area> = {
  trash: 'trash',
  shares: 'shares',
  share_items: 'shares',
  users: 'users',
  api_keys: 'users',
  quotas: 'users',
  invitations: 'users',
  settings: 'settings',
  webhooks: 'webhooks',
}

/** Returns true when access may have changed. */
export const changesAccess = ({ writes, isIncomplete }: Noted): boolean =>
  isIncomplete || writes.some((write) => ACCESS.test(write))

/** Changes of the whole tree, which each caller sees a part of. */
export interface Described {
  changes: Changes
  /** Files and folders that were moved or removed, with the keys of the folders that they left and are in now. */
  left: { kind: 'files' | 'folders'; id: string; from: string; to: string | undefined }[]
}

/** Reads the present rows of noted changes, and describes them by the keys of their folders. */
export function* describeChanges({ store }: Pick<TreeContext, 'store'>, noted: Noted): Work<Described> {
  const lists = new Map<string, Pick<ChangedFolder, 'files' | 'folders'>>()
  const listOf = (id: string) => {
    const list = lists.get(id) ?? { files: [], folders: [] }
    lists.set(id, list)
    return list
  }
  for (const [folderId, ids] of Object.entries(noted.added)) listOf(folderId).files = ids
  const files = new Map((yield* store.files.byIds(noted.files)).map((file) => [file.id, file]))
  for (const { id, folderId } of files.values()) {
    const list = listOf(folderId)
    if (list.files && !list.files.includes(id)) list.files = [...list.files, id]
  }
  const found = yield* store.folders.byIds(noted.folders)
  // A folder outside the tree is its own parent.
  const present = new Map(found.filter(({ id, parentId }) => parentId !== id).map((row) => [row.id, row]))
  for (const { id, parentId } of present.values()) if (parentId !== null) listOf(parentId).folders.push(id)

  const folders: ChangedFolder[] = []
  for (const [id, list] of lists) {
    const key = yield* store.folders.keyOf(id)
    if (key !== undefined) folders.push({ id, key, ...list })
  }
  const below: string[] = noted.isIncomplete ? [''] : []
  for (const id of noted.below) {
    const key = yield* store.folders.keyOf(id)
    if (key !== undefined) below.push(key)
  }
  const left: Described['left'] = []
  for (const [id, folderId] of Object.entries(noted.left)) {
    const from = yield* store.folders.keyOf(folderId)
    const now = files.get(id)?.folderId ?? present.get(id)?.parentId ?? undefined
    const to = now === undefined ? undefined : yield* store.folders.keyOf(now)
    if (from !== undefined) left.push({ kind: noted.files.includes(id) ? 'files' : 'folders', id, from, to })
  }
  const areas = noted.writes
    .map((write) => AREA_OF[write.split(' ')[1] ?? ''])
    .filter((area) => area !== undefined)
  const gone = {
    files: noted.files.filter((id) => !files.has(id)),
    folders: noted.folders.filter((id) => !present.has(id)),
  }
  const changes = { folders, gone, below: [...new Set(below)], areas: [...new Set(areas)] }
  return { changes, left }
}

/** Returns changes without the lists of folders when these are long: with the folder above all of them. */
export function shortened({ folders, below, ...others }: Changes): Changes {
  const isLong =
    folders.length > MAX_FOLDERS || Buffer.byteLength(JSON.stringify([folders, below])) > MAX_LISTED_BYTES
  if (!isLong) return { folders, below, ...others }
  return { folders: [], below: [commonFolder([...folders.map(({ key }) => key), ...below])], ...others }
}

/**
 * Returns the part of changes that a limited caller sees.
 *
 * @param tops Keys of the topmost folders that it reaches.
 */
export function changesWithin({ changes, left }: Described, tops: readonly string[]): Changes {
  const isInside = (key: string) => tops.some((top) => isAtOrBelow(key, top))
  const folders = changes.folders.filter(({ key }) => isInside(key))
  const leaving = left.filter(({ from, to }) => isInside(from) && (to === undefined || !isInside(to)))
  const goneOf = (which: 'files' | 'folders') =>
    leaving.filter(({ kind }) => kind === which).map(({ id }) => id)
  const gone = { files: goneOf('files'), folders: goneOf('folders') }
  const below = changes.below.flatMap((key) =>
    isInside(key) ? [key] : tops.filter((top) => isAtOrBelow(top, key)),
  )
  return {
    ...{ folders, gone, below: [...new Set(below)] },
    areas: changes.areas.filter((area) => area !== 'trash' || leaving.length > 0),
  }
}

/** Returns the key of the deepest folder that contains or is each of these folders. */
function commonFolder(keys: readonly string[]): string {
  const [first = '', ...others] = keys
  let common = first.split('/')
  for (const key of others) {
    const segments = key.split('/')
    const end = common.findIndex((segment, index) => segment !== segments[index])
    if (end !== -1) common = common.slice(0, end)
  }
  return common.join('/')
}
