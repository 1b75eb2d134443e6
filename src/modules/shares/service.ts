import {
  assertScope,
  assertStillAllowed,
  type Caller,
  type LocatedCaller,
  mayShare,
  requireCaller,
  scopesOfCaller,
} from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { type ActivityType, insertActivity } from '../../access/history.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { NamedShareItem, Reserved, ShareRow, ShareVisitRow, Work } from '../../store/rows.ts'
import { endEvent } from '../../views/events.ts'
import type { ChangeShare, ShareRules } from './model.ts'
import {
  assertNotifiable,
  assertPresent,
  assertSensible,
  assertShareable,
  assertSlugFree,
  type Item,
  randomSlug,
  readItems,
  readRules,
  shareNotFound,
} from './rules.ts'

/** Maximum shares of one account. A list has all of them. */
const MAX_SHARES = 1000
/** Visits in a list. */
const MAX_VISITS = 200

/** Share with its items. */
export interface WholeShare {
  share: ShareRow
  items: NamedShareItem[]
  /** Name of the folder that receives files; null while it is gone. */
  folderName: string | null
  /** Files and bytes that uploads under way reserve; undefined for none. */
  reserved: Reserved | undefined
}

/** Returns the caller's shares, or those of all accounts, newest first. @throws {Refusal} `forbidden`. */
export function listShares({ store }: TreeContext, caller: Caller, ofAll: boolean): Promise<WholeShare[]> {
  if (ofAll) assertScope(caller, 'users:manage')
  const { id } = caller.user
  return store.read(function* () {
    const rows = yield* ofAll ? store.shares.all() : store.shares.ofUser(id)
    const items = yield* ofAll ? store.shares.itemsOfAll() : store.shares.itemsOfUser(id)
    const names = yield* ofAll ? store.shares.folderNamesOfAll() : store.shares.folderNamesOfUser(id)
    const reserved = yield* ofAll ? store.resumables.reservedOfAll() : store.resumables.reservedOfUser(id)
    const byShare = Map.groupBy(items, ({ shareId }) => shareId)
    const folderOf = new Map(names.map(({ shareId, name }) => [shareId, name]))
    const reservedOf = new Map(reserved.map((row) => [row.shareId, row]))
    const found: WholeShare[] = []
    for (const share of rows) {
      const whole = {
        share,
        items: byShare.get(share.id) ?? [],
        folderName: folderOf.get(share.id) ?? null,
        reserved: reservedOf.get(share.id),
      }
      if (isBound(caller) && !(yield* reaches({ store }, namesIn(whole)))) continue
      found.push(yield* asSeen({ store }, whole))
    }
    return found
  })
}

/**
 * Shares files and folders. What an API key shares ends with the key.
 *
 * @throws {Refusal} `invalid`, `not-found` for an item, `conflict` for a taken slug, `forbidden`.
 */
export async function createShare(
  deps: TreeContext,
  caller: LocatedCaller,
  sent: ShareRules,
): Promise<WholeShare> {
  const { store, clock, random, config } = deps
  const items = readItems(sent.items ?? [])
  const now = clock.now()
  const wanted = withColumns(
    {
      id: random.id(),
      slug: randomSlug(deps),
      userId: caller.user.id,
      keyId: caller.via === 'key' ? caller.key.id : null,
      ...NO_RULES,
      expiresAt: config.shareDays === 0 ? null : now + config.shareDays * DAY_MS,
      createdAt: now,
      updatedAt: now,
    },
    await readRules(deps, sent),
  )
  assertSensible(wanted, items)
  const created = await store.transact(function* () {
    yield* assertMayShare(deps, caller, wanted)
    const share = yield* endingWithKey(deps, wanted)
    if ((yield* store.shares.countOfUser(share.userId)) >= MAX_SHARES)
      throw new Refusal('limit-reached', `You have ${MAX_SHARES} shares already: end some first`)
    yield* assertSlugFree(deps, share)
    yield* assertTargets(deps, share, items)
    yield* assertNotifiable(deps, sent.notify)
    yield* store.shares.insert(share)
    yield* store.shares.setItems(share.id, rowsOf(share, items))
    return yield* recorded(deps, caller, share, 'share.created')
  })
  recordSecurity(deps, caller, created, 'share.created')
  return created
}

const NO_RULES = {
  ...{ title: null, note: null, canRead: true, canWrite: false, passwordHash: null },
  ...{ maxDownloads: null, downloads: 0, folderId: null, maxFiles: null, maxBytes: null, types: null },
  ...{ receivedFiles: 0, receivedBytes: 0, notify: null },
}

/**
 * Changes rules of one of the caller's shares.
 *
 * @throws {Refusal} `invalid`, `not-found` for the share or an item, `conflict` for a taken slug, `forbidden`.
 */
export async function changeShare(
  deps: TreeContext,
  caller: LocatedCaller,
  { id, ...sent }: ChangeShare,
): Promise<WholeShare> {
  const { store, clock } = deps
  const columns = await readRules(deps, sent)
  const given = sent.items && readItems(sent.items)
  const changed = await store.transact(function* () {
    const before = yield* requireVisible(deps, caller, id)
    if (before.userId !== caller.user.id) throw shareNotFound()
    const wanted = withColumns(before, { ...columns, updatedAt: clock.now() })
    yield* assertMayShare(deps, caller, wanted)
    const share = yield* endingWithKey(deps, wanted)
    assertSensible(share, given ?? (yield* store.shares.items(id)))
    yield* assertSlugFree(deps, share)
    yield* assertTargets(deps, columns.folderId == null ? undefined : share, given ?? [])
    yield* assertNotifiable(deps, sent.notify)
    const { id: _, downloads: __, receivedFiles: ___, receivedBytes: ____, ...changes } = share
    yield* store.shares.update(id, changes)
    if (given) yield* store.shares.setItems(id, rowsOf(share, given))
    return yield* recorded(deps, caller, share, 'share.changed')
  })
  recordSecurity(deps, caller, changed, 'share.changed')
  return changed
}

/**
 * Ends one of the caller's shares, or any with `users:manage`.
 *
 * @throws {Refusal} `not-found`.
 */
export async function endShare(deps: TreeContext, caller: LocatedCaller, id: string): Promise<void> {
  const { store } = deps
  const ended = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const share = yield* requireVisible(deps, caller, id)
    const whole = yield* wholeOf(deps, share)
    yield* store.shares.remove(id)
    yield* store.webhookDeliveries.announce(endEvent(deps, share, 'ended'))
    yield* insertActivity(deps, entryOf(caller, whole, 'share.ended'))
    return whole
  })
  recordSecurity(deps, caller, ended, 'share.ended')
  await store.removeInSlices((limit) => store.shareVisits.removeOf(id, limit))
}

/**
 * Returns the latest visits of one of the caller's shares, newest first, or those older than one.
 *
 * @throws {Refusal} `not-found`, `invalid`.
 */
export function listVisits(
  deps: TreeContext,
  caller: Caller,
  { id, before }: { id: string; before?: string },
): Promise<ShareVisitRow[]> {
  const { store } = deps
  return store.read(function* () {
    yield* requireVisible(deps, caller, id)
    const last = before === undefined ? undefined : yield* store.shareVisits.byId(before)
    if (before !== undefined && last?.shareId !== id)
      throw refuseInvalid('"before" is not a visit of this share')
    return yield* store.shareVisits.newest(id, MAX_VISITS, last)
  })
}

/** Removes visits past the retention of the history, and downloads of the days before yesterday. */
export async function pruneVisits({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  const now = clock.now()
  const before = now - store.settings.current().activityRetentionDays * DAY_MS
  await store.removeInSlices((limit) => store.shareVisits.removeBefore(before, limit))
  await store.removeInSlices((limit) => store.shareDownloads.removeBefore(now - DAY_MS, limit))
}

/** Returns a share with the given columns; an `undefined` one keeps its value. */
function withColumns(share: ShareRow, columns: Partial<Record<keyof ShareRow, unknown>>): ShareRow {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  return { ...share, ...Object.fromEntries(given) }
}

const rowsOf = ({ id: shareId }: ShareRow, items: readonly Item[]) =>
  items.map((item) => ({ shareId, ...item }))

/** Returns a share that expires with the API key that made it at the latest. */
function* endingWithKey({ store }: TreeContext, share: ShareRow): Work<ShareRow> {
  const end = share.keyId === null ? null : (yield* store.keys.byId(share.keyId))?.expiresAt
  if (end == null || (share.expiresAt !== null && share.expiresAt <= end)) return share
  return { ...share, expiresAt: end }
}

/** Asserts that the caller may share, and do what the share does: read, and write for received files. */
function* assertMayShare(deps: TreeContext, caller: Caller, { canWrite }: ShareRow): Work<void> {
  const now = yield* requireCaller(deps, caller, 'files:read')
  if (canWrite) assertScope(now, 'files:write')
  const { sharing } = yield* deps.store.settings.inTransaction()
  if (!mayShare(sharing, now.user)) throw new Refusal('sharing-restricted')
}

function* assertTargets(deps: TreeContext, share: ShareRow | undefined, items: readonly Item[]): Work<void> {
  const folderId = share?.folderId ?? undefined
  const target: Item[] = folderId === undefined ? [] : [{ itemId: folderId, kind: 'folder' }]
  yield* assertShareable(deps, items)
  yield* assertPresent(deps, target)
  for (const { itemId, kind } of [...items, ...target]) {
    const at = kind === 'folder' ? itemId : (yield* deps.store.files.byId(itemId))?.folderId
    yield* deps.store.assertRight(at ?? '', 'share')
  }
  if (folderId !== undefined) yield* deps.store.assertRight(folderId, 'write')
}

function* requireVisible(deps: TreeContext, caller: Caller, id: string): Work<ShareRow> {
  const share = yield* deps.store.shares.byId(id)
  const isAdmin = scopesOfCaller(caller).includes('users:manage')
  const isHidden = isBound(caller) && !(yield* reaches(deps, yield* namedBy(deps, id, share)))
  if (!share || isHidden || (share.userId !== caller.user.id && !isAdmin)) throw shareNotFound()
  return share
}

/** Returns what a share names; something that is not there without a share, which then takes as long as one outside. */
function* namedBy({ store }: TreeContext, id: string, share: ShareRow | undefined): Work<Item[]> {
  const items = yield* store.shares.items(id)
  return share ? namesIn({ share, items }) : [{ kind: 'file', itemId: id }]
}

const namesIn = ({ share, items }: Pick<WholeShare, 'share' | 'items'>): Item[] =>
  share.folderId === null ? [...items] : [...items, { kind: 'folder', itemId: share.folderId }]

const isBound = (caller: Caller) => caller.via === 'key' && caller.key.folderId !== null

/** Returns true if the caller reaches all of some items. */
function* reaches({ store }: Pick<TreeContext, 'store'>, items: readonly Item[]): Work<boolean> {
  for (const { kind, itemId } of items)
    if (!(yield* kind === 'file' ? store.files.byId(itemId) : store.folders.byId(itemId))) return false
  return true
}

/** Returns a share without the names of what the caller does not reach. */
function* asSeen({ store }: Pick<TreeContext, 'store'>, whole: WholeShare): Work<WholeShare> {
  if (store.reach.isEverything) return whole
  const items: NamedShareItem[] = []
  for (const item of whole.items) {
    const row = yield* item.kind === 'file' ? store.files.byId(item.itemId) : store.folders.byId(item.itemId)
    items.push(row ? item : { ...item, name: null, mimeType: null, size: null })
  }
  const { folderId } = whole.share
  const isOutside = folderId !== null && (yield* store.folders.keyOf(folderId)) === undefined
  return { ...whole, items, folderName: isOutside ? null : whole.folderName }
}

function* recorded(deps: TreeContext, caller: Caller, share: ShareRow, type: ActivityType): Work<WholeShare> {
  const whole = yield* wholeOf(deps, share)
  yield* insertActivity(deps, entryOf(caller, whole, type))
  return whole
}

function* wholeOf({ store }: Pick<TreeContext, 'store'>, share: ShareRow): Work<WholeShare> {
  const { shares, resumables } = store
  const [folder] = yield* shares.folderNames(share.id)
  const reserved = yield* resumables.reservedOf(share.id)
  const items = yield* shares.items(share.id)
  return yield* asSeen({ store }, { share, items, folderName: folder?.name ?? null, reserved })
}

/** Records a change of a share in the security log. */
function recordSecurity(
  { securityLog }: TreeContext,
  { user, device }: LocatedCaller,
  whole: WholeShare,
  type: 'share.created' | 'share.changed' | 'share.ended',
): void {
  const { target, detail } = namesOf(whole)
  securityLog.record({
    type,
    account: user,
    device,
    detail: detail === null ? target : `${target} (${detail})`,
  })
}

/** Builds the entry of a share, by its title, or by its first item or the folder of a drop box. */
const entryOf = ({ user }: Caller, whole: WholeShare, type: ActivityType) => ({
  userId: user.id,
  type,
  ...namesOf(whole),
})

function namesOf({ share: { title, slug }, items, folderName }: WholeShare) {
  const target = title ?? items[0]?.name ?? folderName ?? slug
  return { target, detail: target === slug ? null : slug }
}
