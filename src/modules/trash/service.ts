import { distinctIds, forEachId, type Items, MAX_ITEMS, selected } from '../../access/batch.ts'
import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { recordOutcome } from '../../access/history.ts'
import { KINDS, namesOf, recordItems, removeItems } from '../../access/removal.ts'
import { isForbidden, messageFor, Refusal } from '../../platform/errors.ts'
import { matches } from '../../platform/fold.ts'
import type { TrashRow, Work } from '../../store/rows.ts'
import { itemsUntil, purgeUnlessKept } from '../../store/trash/purge.ts'
import type { TrashOrder } from '../../views/orders.ts'
import { type TrashRequest, trashView } from './model.ts'

/** Items of a page, unless a request asks for another number. */
const PAGE_ITEMS = 100
/** Items that a search reads in one time slice. */
const SLICE_ITEMS = 1000

type Failed = { id: string; message: string }[]

const notInTrash = () => new Refusal('not-in-trash')

/** Returns a page of the trash, the latest items first unless the request says otherwise. */
export async function listTrash(
  deps: Pick<TreeContext, 'store' | 'nextTurn'>,
  { limit = PAGE_ITEMS, offset = 0, search = '', orderBy = 'deletedAt', orderDirection }: TrashRequest,
) {
  const { store } = deps
  const { trashDays } = store.settings.current()
  const view = (items: readonly TrashRow[]) => items.map((item) => trashView(item, trashDays))
  const ascending = orderDirection?.toUpperCase() === 'ASC'
  if (search !== '' || !store.reach.isEverything) {
    const found = (await findItems(deps, search)).sort(compareBy(orderBy, ascending))
    return { items: view(found.slice(offset, offset + limit)), total: found.length, trashDays }
  }
  return store.read(function* () {
    const items = yield* store.trash.page({ limit, offset, orderBy, ascending })
    return { items: view(items), total: yield* store.trash.listed(), trashDays }
  })
}

/** Returns the items whose keys match a text. Reads all items, in time slices: no engine folds text as searches do. */
async function findItems({ store, nextTurn }: Pick<TreeContext, 'store' | 'nextTurn'>, text: string) {
  const found: TrashRow[] = []
  for (let slice = await store.trash.after('', SLICE_ITEMS); slice.length > 0; ) {
    found.push(...slice.filter(({ key }) => matches(key, text)))
    await nextTurn()
    slice = await store.trash.after(slice.at(-1)?.id ?? '', SLICE_ITEMS)
  }
  return found
}

/** Compares items as `store.trash.page` orders them. */
const compareBy = (orderBy: TrashOrder, ascending: boolean) => (one: TrashRow, other: TrashRow) =>
  compare(one[orderBy], other[orderBy]) * (ascending ? 1 : -1) ||
  compare(other.deletedAt, one.deletedAt) ||
  compare(one.id, other.id)

const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Moves each file and folder to the trash separately, and records the outcome. When the setting keeps nothing, they
 * are removed at once.
 *
 * @throws {Refusal} `invalid` for too many ids, `not-found` when none of them exist.
 */
export async function putInTrash(
  deps: TreeContext,
  caller: Caller,
  items: Items,
): Promise<{ trashed: string[]; failed: Failed }> {
  const { done, failed } = await removeItems(deps, caller, selected(items), {
    outcome: 'trashed',
    work: ({ trashFile, trashFolder }, id, kind) =>
      (kind === 'folder' ? trashFolder : trashFile)(id, caller.user.id),
  })
  await purgeUnlessKept(deps, done)
  return { trashed: done.map(({ id }) => id), failed }
}

/**
 * Restores each item separately, and records the restored ones.
 *
 * @throws {Refusal} `invalid` for too many ids, `not-found` when none of them are in the trash.
 */
export async function restoreItems(deps: TreeContext, caller: Caller, ids: readonly string[]) {
  const distinct = distinctIds(ids, MAX_ITEMS)
  deps.store.assertPresent()
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  const { restore } = deps.store.changes(authorize)
  const work = async (id: string) => {
    await assertInside(deps, id)
    return restore(id)
  }
  const ordered = await parentsFirst(deps, distinct)
  const { done, failed } = await forEachId(deps, ordered, { authorize, work, notFound: notInTrash })
  for (const kind of KINDS)
    await recordItems(deps, caller, { type: `${kind}.restored`, names: namesOf(done, kind) })
  return { restored: done, failed }
}

/** Refuses an item outside before anything tells whether it exists. @throws {Refusal} `not-found`. */
async function assertInside({ store }: Pick<TreeContext, 'store'>, id: string): Promise<void> {
  if (!store.reach.isEverything && !(await store.trash.byId(id))) throw notInTrash()
}

/** Orders items so that a folder returns before what was deleted from it, which else creates another one. */
async function parentsFirst(
  { store }: Pick<TreeContext, 'store'>,
  ids: readonly string[],
): Promise<string[]> {
  const parents = new Map<string, string>()
  for (const id of ids) {
    const parent = await store.read(function* (): Work<string | undefined> {
      const item = yield* store.trash.byId(id)
      // The folder may be one of those below another item.
      return item && ((yield* store.trash.folder(item.parentId))?.trashId ?? item.parentId)
    })
    if (parent !== undefined) parents.set(id, parent)
  }
  const ordered = new Set<string>()
  for (const id of ids) {
    const chain = new Set<string>()
    // Only the items of the request have an entry in `parents`. A damaged catalog may have a cycle.
    for (let at = id; parents.has(at) && !chain.has(at); at = parents.get(at) ?? '') chain.add(at)
    for (const next of [...chain].reverse()) ordered.add(next)
  }
  return [...ordered.union(new Set(ids))]
}

/**
 * Removes each item for good, separately.
 *
 * @throws {Refusal} `invalid` for too many ids, `not-found` when none of them are in the trash.
 */
export async function purgeItems(
  deps: TreeContext,
  caller: Caller,
  ids: readonly string[],
): Promise<{ deleted: number; failed: Failed }> {
  const distinct = distinctIds(ids, MAX_ITEMS)
  deps.store.assertPresent()
  const authorize = () => assertStillAllowed(deps, caller, 'files:delete')
  const { purge } = deps.store.changes(authorize)
  const work = async (id: string) => {
    const item = await deps.store.trash.byId(id)
    if (!item) throw notInTrash()
    await purge(id)
    return item.name
  }
  const { done, failed } = await forEachId(deps, distinct, { authorize, work, notFound: notInTrash })
  await recordEmptied(deps, caller, { count: done.length, name: done[0] })
  return { deleted: done.length, failed }
}

/** Removes every item that is in the trash now and that the caller reaches. Returns how many, and the ones that stay. */
export async function emptyTrash(
  deps: TreeContext,
  caller: Caller,
): Promise<{ deleted: number; failed: Failed }> {
  const { store, clock } = deps
  store.assertPresent()
  const { purge } = store.changes(() => assertStillAllowed(deps, caller, 'files:delete'))
  const failed: Failed = []
  let deleted = 0
  let last: string | undefined
  const items = store.reach.isEverything ? itemsUntil(deps, clock.now(), failed) : await findItems(deps, '')
  for await (const { id, name } of items) {
    try {
      await purge(id)
      deleted += 1
      last = name
    } catch (error) {
      if (isForbidden(error)) throw error
      failed.push({ id, message: messageFor(error) })
    }
  }
  await recordEmptied(deps, caller, { count: deleted, name: last })
  return { deleted, failed }
}

async function recordEmptied(
  deps: TreeContext,
  caller: Caller,
  { count, name = '1 item' }: { count: number; name: string | undefined },
): Promise<void> {
  if (count === 0) return
  const target = count === 1 ? name : `${count} items`
  await recordOutcome(deps, { userId: caller.user.id, type: 'trash.emptied', target, detail: null })
}
