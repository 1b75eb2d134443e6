import * as T from 'typebox'
import Value from 'typebox/value'
import type { TreeContext } from '../../access/context.ts'
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
const ACCESS = /^(delete (sessions|api_keys)|update users|delete users|(insert|update|delete) folder_grants)$/

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

/** Reads the present rows of noted changes, and describes them by the keys of their folders. */
export function* describeChanges({ store }: Pick<TreeContext, 'store'>, noted: Noted): Work<Changes> {
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
  const isLong =
    folders.length > MAX_FOLDERS || Buffer.byteLength(JSON.stringify([folders, below])) > MAX_LISTED_BYTES
  const areas = noted.writes
    .map((write) => AREA_OF[write.split(' ')[1] ?? ''])
    .filter((area) => area !== undefined)
  return {
    folders: isLong ? [] : folders,
    gone: {
      files: noted.files.filter((id) => !files.has(id)),
      folders: noted.folders.filter((id) => !present.has(id)),
    },
    below: isLong ? [commonFolder([...folders.map(({ key }) => key), ...below])] : [...new Set(below)],
    areas: [...new Set(areas)],
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
