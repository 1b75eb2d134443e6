import { type Caller, type Scope, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { isoOrNull } from '../../platform/time.ts'
import type { ListOrder, Work } from '../../store/rows.ts'
import { type FileView, viewRows } from '../../views/files.ts'
import { everyDay, lastDays } from '../../views/times.ts'
import { readTree, type TreeAtOnce } from '../../views/tree.ts'
import { findAlerts } from './alerts.ts'
import type { FileStats, HostingStats, KeyStats, Stats, UserStats } from './model.ts'

/** Sources of the statistics. */
export interface StatsContext extends Context {
  /** Counts of hosted requests, which are saved behind. */
  traffic: { flush: () => Promise<void>; prune: () => Promise<void> }
}

/** UTC days of statistics, today included. */
const FILE_DAYS = 30
const HOSTING_DAYS = 30
const KEY_DAYS = 7

/** Length of a list of top files. */
const FIRST = 5
/** Files read to find them, while a folder with top files is being deleted. */
const FIRST_OF = 1000

/**
 * Reads the figures of the dashboard, for each section that its caller may see. Running totals make it
 * constant in time.
 */
export async function readStats(deps: StatsContext, caller: Caller, leaving: AbortSignal): Promise<Stats> {
  await saveCounts(deps)
  const may = (scope: Scope) => scopeProblem(caller, scope) === undefined
  const mayManageKeys = caller.via === 'session' && may('api-keys:manage')
  return {
    files: may('files:read') ? await readTree(deps, leaving, (tree) => fileStats(deps, tree)) : null,
    apiKeys: mayManageKeys ? await deps.store.read(() => keyStats(deps, caller.user.id)) : null,
    hosting: may('files:read') ? await hostingStats(deps) : null,
    users: may('users:manage') ? await deps.store.read(() => userStats(deps)) : null,
    alerts: await findAlerts(deps, caller),
  }
}

/** Saves the counts so far, to include them. On a full disk, the earlier ones are shown. */
async function saveCounts({ traffic, keyUsage, log }: StatsContext): Promise<void> {
  try {
    await Promise.all([traffic.flush(), keyUsage.flush()])
    await traffic.prune()
  } catch (error) {
    log.error('The counts could not be saved; statistics show the last saved ones', error)
  }
}

function* fileStats(deps: Context, tree: TreeAtOnce): Work<FileStats> {
  const { totals } = tree
  const visibility = yield* totals.byVisibility()
  const { available, capacity } = deps.store.space()
  const { from, dates } = lastDays(deps, FILE_DAYS)
  return {
    total: visibility.public.count + visibility.private.count,
    folders: yield* totals.folders(),
    storage: { used: visibility.public.size + visibility.private.size, available, capacity },
    versions: yield* deps.store.versions.total(),
    types: yield* totals.types(),
    largest: yield* firstFiles(tree, 'size'),
    recent: yield* firstFiles(tree, 'createdAt'),
    visibility,
    added: everyDay(dates, yield* totals.addedSince(from), { count: 0, size: 0 }),
    trash: yield* deps.store.trash.total(),
  }
}

const firstFiles = (tree: TreeAtOnce, orderBy: ListOrder): Work<FileView[]> =>
  first(function* (limit) {
    return yield* viewRows(tree, yield* tree.files({ orderBy, ascending: false, offset: 0, limit }))
  })

/** Returns the first few of a list, without files of a folder that is being deleted. */
function* first<Item>(read: (limit: number) => Work<Item[]>): Work<Item[]> {
  const items = yield* read(FIRST)
  return items.length === FIRST ? items : (yield* read(FIRST_OF)).slice(0, FIRST)
}

function* keyStats(deps: Context, userId: string): Work<KeyStats> {
  const { apiRequests, keys } = deps.store
  const { from, dates } = lastDays(deps, KEY_DAYS)
  const perDay = (yield* apiRequests.perDay(userId, from)).map(({ day, count }) => ({ date: day, count }))
  const requests = everyDay(dates, perDay, { count: 0 })
  const perKey = yield* apiRequests.perKey(userId, from)
  const ofKey = new Map(perKey.map(({ keyId, count }) => [keyId, count]))
  const own = (yield* keys.ofUser(userId)).map((key) => ({
    id: key.id,
    name: key.name,
    requests: ofKey.get(key.id) ?? 0,
    lastUsed: isoOrNull(key.usedAt),
    expiresAt: isoOrNull(key.expiresAt),
  }))
  return { total: own.length, requests, keys: own.toSorted((a, b) => b.requests - a.requests) }
}

async function hostingStats(deps: Context): Promise<HostingStats> {
  const { store } = deps
  const { from, dates } = lastDays(deps, HOSTING_DAYS)
  const days = everyDay(dates, await store.traffic.daysSince(from), { requests: 0, bytes: 0, notFound: 0 })
  return { days, top: await store.read(() => first((limit) => mostRequested(deps, limit))) }
}

function* mostRequested({ store }: Context, limit: number): Work<HostingStats['top']> {
  const found: HostingStats['top'] = []
  for (const { file, ...counted } of yield* store.traffic.top(limit)) {
    const [view] = yield* viewRows(store, [file])
    if (view) found.push({ file: view, ...counted })
  }
  return found
}

function* userStats({ store, clock }: Context): Work<UserStats> {
  return {
    total: yield* store.users.count(),
    disabled: yield* store.users.countDisabled(),
    sessions: yield* store.sessions.countOpen(clock.now()),
  }
}
