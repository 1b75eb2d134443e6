import { isAtOrBelow, joinKey } from '../../platform/names.ts'
import type { Engine } from '../engine/engine.ts'
import type { Query, Work } from '../engine/query.ts'
import type { Reach, Right } from '../engine/reach.ts'
import type { FileRow, fileQueries } from './files.ts'
import type { FolderQueries, FolderTree } from './folders.ts'
import type { TrashRow, trashQueries } from './trash.ts'
import type { versionQueries } from './versions.ts'

/**
 * Id that no row has. What depends on a row that does not exist is looked up for it, so that the row costs as much as one
 * outside.
 */
export const NO_ID = '00000000-0000-7000-8000-000000000000'

type Places = Pick<FolderTree, 'root' | 'keyOf' | 'keysOf' | 'idAt' | 'keyWithin'>

/**
 * Returns the key of a folder that a caller reaches; `undefined` for any other, for one that is not in the tree, and without
 * an id. A limited caller waits for each of these alike.
 */
export function* reachedKey(
  places: Pick<Places, 'keyOf' | 'keyWithin'>,
  reach: Reach,
  id: string | undefined,
): Work<string | undefined> {
  if (reach.isEverything) return id === undefined ? undefined : yield* places.keyOf(id)
  return yield* places.keyWithin(id ?? NO_ID, reach.part())
}

/** Returns the lookups of places for a caller: a folder outside its reach has no key, and none is at its key. */
export const placesWithin = <Some extends Places>(
  { body }: Pick<Engine, 'body'>,
  places: Some,
  reach: Reach,
): Some => ({
  ...places,
  keyOf: (id: string) => places.keyWithin(id, reach.part()),
  keysOf: (ids: readonly string[]) => body(() => keysInside(places, reach, ids)),
  idAt: (segments: readonly string[]) =>
    body(function* () {
      // A key outside is refused by its text: how far it leads would take time that tells what is there.
      const isInside = isAtEntry(yield* entriesOf(places, reach), segments)
      return isInside ? yield* places.idAt(segments) : undefined
    }),
})

/** Returns the keys of those among some folders that a limited caller reaches, by their ids. */
function* keysInside(
  places: Pick<Places, 'keysOf'>,
  reach: Reach,
  ids: readonly string[],
): Work<ReadonlyMap<string, string>> {
  const part = reach.part()
  const keys = yield* places.keysOf([...ids, ...part.flat()])
  const tops = part.map((ids) => ids.map((id) => keys.get(id)).filter((key) => key !== undefined))
  const inside = new Map<string, string>()
  for (const id of ids) {
    const key = keys.get(id)
    if (key !== undefined && tops.every((some) => some.some((top) => isAtOrBelow(key, top))))
      inside.set(id, key)
  }
  return inside
}

/** Folder and its key. */
export interface Entry {
  folderId: string
  key: string
}

/** Returns the topmost folders in which a caller has a right, by key; the root when it reaches everything. */
export function* entriesOf(
  folders: Pick<FolderTree, 'root' | 'keyWithin'>,
  reach: Reach,
  right: Right = 'read',
): Work<Entry[]> {
  if (reach.isEverything) return [{ folderId: yield* folders.root(), key: '' }]
  const entries: Entry[] = []
  for (const folderId of reach.folderIds) {
    const key = yield* folders.keyWithin(folderId, reach.part(right))
    if (key !== undefined) entries.push({ folderId, key })
  }
  entries.sort((one, other) => (one.key < other.key ? -1 : 1))
  return entries.filter(({ key }) => !entries.some((top) => top.key !== key && isAtOrBelow(key, top.key)))
}

/** Returns true if a key, by its names, is at or below one of the topmost folders that a caller reaches. */
export const isAtEntry = (entries: readonly Entry[], segments: readonly string[]): boolean =>
  entries.some(({ key }) => isAtOrBelow(segments.join('/'), key))

/** Place of an item of the trash: a folder of the tree, and the path below it. */
interface TrashPlace {
  folderId: string
  path: string
}

/** Finds the place of an item of the trash below the nearest folder that may be in the tree still. */
export function* placeOfTrashed(
  trash: Pick<ReturnType<typeof trashQueries>, 'byId' | 'folder'>,
  { parentId, name }: Pick<TrashRow, 'parentId' | 'name'>,
): Work<TrashPlace | undefined> {
  const names = [name]
  const passed = new Set<string>()
  let at = parentId
  for (let held = yield* trash.folder(at); held; held = yield* trash.folder(at)) {
    // In a damaged catalog, folders may be inside each other.
    if (passed.has(at)) return undefined
    passed.add(at)
    // The topmost folder of an item is where the item was, and its row has neither name nor place.
    const above = held.id === held.trashId ? yield* trash.byId(held.trashId) : held
    if (!above) return undefined
    names.unshift(above.name)
    at = above.parentId
  }
  return { folderId: at, path: names.join('/') }
}

/** Queries of rows in the tree. */
interface Rows {
  files: Omit<ReturnType<typeof fileQueries>, 'displacements'>
  folders: FolderQueries
  trash: ReturnType<typeof trashQueries>
  versions: ReturnType<typeof versionQueries>
}

/**
 * Returns the queries of rows for a caller: those outside its reach do not exist. What is in a folder that it reaches is
 * reached, too. The whole trash is listed by `after`, with the keys at which its items would be now.
 */
export function rowsWithin(engine: Pick<Engine, 'body'>, rows: Rows, reach: Reach): Rows {
  const { body } = engine
  const folders = placesWithin(engine, rows.folders, reach)
  function* isInside(folderId: string | undefined): Work<boolean> {
    return (yield* folders.keyOf(folderId ?? NO_ID)) !== undefined
  }
  const one = <Row>(
    query: Query<Row | undefined>,
    folderOf: (row: Row | undefined) => string | undefined | Query<string | undefined>,
  ) =>
    body(function* () {
      const row = yield* query
      const folder = folderOf(row)
      return (yield* isInside(typeof folder === 'object' ? yield* folder : folder)) ? row : undefined
    })
  const several = (query: Query<FileRow[]>, ids: readonly string[]) =>
    body(function* () {
      const found = new Map((yield* query).map((file) => [file.id, file]))
      const reached = new Set<string>()
      const inside: FileRow[] = []
      for (const id of new Set(ids)) {
        const file = found.get(id)
        // Each that is missing or outside is looked up for itself: their number would take time that tells which are there.
        if (!(file && reached.has(file.folderId)) && !(yield* isInside(file?.folderId))) continue
        if (file) inside.push(file)
        if (file) reached.add(file.folderId)
      }
      return inside
    })
  /** Returns an item of the trash that is inside, with the key at which it would be now. */
  function* ifInside(item: TrashRow | undefined): Work<TrashRow | undefined> {
    const place = yield* placeOfTrashed(rows.trash, item ?? { parentId: NO_ID, name: '' })
    const above = yield* folders.keyOf(place?.folderId ?? NO_ID)
    if (item && place && above !== undefined) return { ...item, key: joinKey(above, place.path) }
    // A replaced folder is an earlier version of the one in its place.
    const key = yield* folders.keyOf(item?.replacedBy ?? NO_ID)
    return item && key !== undefined ? { ...item, key } : undefined
  }
  /** Returns the items of the trash that may be inside, of many by three queries. */
  function* thoseNear(items: readonly TrashRow[]): Work<TrashRow[]> {
    const places = yield* rows.trash.placesOf(items.map(({ id }) => id))
    const replacing = items.map(({ replacedBy }) => replacedBy ?? NO_ID)
    const keys = yield* folders.keysOf([
      ...new Set([...places.map(({ folderId }) => folderId), ...replacing]),
    ])
    const near = new Set(places.filter(({ folderId }) => keys.has(folderId)).map(({ id }) => id))
    return items.filter(({ id, replacedBy }) => near.has(id) || keys.has(replacedBy ?? NO_ID))
  }
  const folderOfFile = (id: string) => rows.files.byId(id).into((file) => file?.folderId)
  return {
    files: {
      ...rows.files,
      byId: (id) => one(rows.files.byId(id), (file) => file?.folderId),
      byIds: (ids) => several(rows.files.byIds(ids), ids),
    },
    folders: {
      ...folders,
      byId: (id) =>
        body(function* () {
          return (yield* isInside(id)) ? yield* rows.folders.byId(id) : undefined
        }),
    },
    trash: {
      ...rows.trash,
      byId: (id) =>
        body(function* () {
          return yield* ifInside(yield* rows.trash.byId(id))
        }),
      after: (id, limit) =>
        body(function* () {
          for (let at = id; ; ) {
            const items = yield* rows.trash.after(at, limit)
            const inside: TrashRow[] = []
            for (const item of yield* thoseNear(items)) {
              const found = yield* ifInside(item)
              if (found) inside.push(found)
            }
            if (inside.length > 0 || items.length < limit) return inside
            at = items.at(-1)?.id ?? at
          }
        }),
    },
    versions: {
      ...rows.versions,
      byId: (id) => one(rows.versions.byId(id), (version) => folderOfFile(version?.fileId ?? NO_ID)),
    },
  }
}
