import { type Caller, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import type { Scope } from '../../access/scopes.ts'
import { isoOrNull } from '../../platform/time.ts'
import type { ListOrder } from '../../store/rows.ts'
import { viewFiles } from '../files/list.ts'
import type { FileView } from '../files/model.ts'
import { readTree, type TreeAtOnce } from '../files/tree-totals.ts'
import type { Traffic } from '../hosting/traffic.ts'
import { findAlerts } from './alerts.ts'
import { everyDay } from './days.ts'
import type { FileStats, HostingStats, KeyStats, Stats, UserStats } from './model.ts'

/** Sources of the statistics. */
export interface StatsContext extends Context {
  traffic: Pick<Traffic, 'flush' | 'prune'>
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
    apiKeys: mayManageKeys ? keyStats(deps, caller.user.id) : null,
    hosting: may('files:read') ? hostingStats(deps) : null,
    users: may('users:manage') ? userStats(deps) : null,
    alerts: findAlerts(deps, caller),
  }
}

/** Saves the counts so far, to include them. On a full disk, the earlier ones are shown. */
async function saveCounts({ traffic, keyUsage, log }: StatsContext): Promise<void> {
  try {
    await Promise.all([traffic.flush(), keyUsage.flush()])
    await traffic.prune()
  } catch (error) {
    log.error('The counts could not be saved before they are read', error)
  }
}

function fileStats(deps: Context, tree: TreeAtOnce): FileStats {
  const { totals } = tree
  const visibility = totals.byVisibility()
  const { available, capacity } = deps.store.space()
  return {
    total: visibility.public.count + visibility.private.count,
    folders: totals.folders(),
    storage: { used: visibility.public.size + visibility.private.size, available, capacity },
    types: totals.types(),
    largest: firstFiles(tree, 'size'),
    recent: firstFiles(tree, 'createdAt'),
    visibility,
    added: everyDay(deps, FILE_DAYS, totals.addedSince, { count: 0, size: 0 }),
  }
}

function firstFiles(tree: TreeAtOnce, orderBy: ListOrder): FileView[] {
  return first((limit) => viewFiles(tree, tree.files({ orderBy, ascending: false, offset: 0, limit })))
}

/** Returns the first few of a list, without files of a folder that is being deleted. */
function first<Item>(read: (limit: number) => Item[]): Item[] {
  const items = read(FIRST)
  return items.length === FIRST ? items : read(FIRST_OF).slice(0, FIRST)
}

function keyStats(deps: Context, userId: string): KeyStats {
  const { apiRequests, keys } = deps.store
  const perDay = (from: string) =>
    apiRequests.perDay(userId, from).map(({ day, count }) => ({ date: day, count }))
  const requests = everyDay(deps, KEY_DAYS, perDay, { count: 0 })
  const perKey = apiRequests.perKey(userId, requests[0]?.date ?? '')
  const ofKey = new Map(perKey.map(({ keyId, count }) => [keyId, count]))
  const own = keys.ofUser(userId).map((key) => ({
    id: key.id,
    name: key.name,
    requests: ofKey.get(key.id) ?? 0,
    lastUsed: isoOrNull(key.usedAt),
    expiresAt: isoOrNull(key.expiresAt),
  }))
  return { total: own.length, requests, keys: own.toSorted((a, b) => b.requests - a.requests) }
}

function hostingStats(deps: Context): HostingStats {
  const { traffic } = deps.store
  const none = { requests: 0, bytes: 0, notFound: 0 }
  return {
    days: everyDay(deps, HOSTING_DAYS, traffic.daysSince, none),
    top: first((limit) =>
      traffic
        .top(limit)
        .flatMap(({ file, ...counted }) =>
          viewFiles(deps.store.folders, [file]).map((view) => ({ file: view, ...counted })),
        ),
    ),
  }
}

const userStats = ({ store, clock }: Context): UserStats => ({
  total: store.users.count(),
  disabled: store.users.countDisabled(),
  sessions: store.sessions.countOpen(clock.now()),
})
