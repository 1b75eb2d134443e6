import { Elysia } from 'elysia'
import { type Caller, type Scope, scopeProblem } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { ANY, auth } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { isoOrNull } from '../../platform/time.ts'
import type { Work } from '../../store/rows.ts'
import { type FileView, viewRows } from '../../views/files.ts'
import { createInside, type Inside } from '../../views/inside.ts'
import type { FileOrder } from '../../views/orders.ts'
import { everyDay, lastDays } from '../../views/times.ts'
import { readTree, type TreeAtOnce } from '../../views/tree.ts'
import { type CertificateNotice, findAlerts, type UpdateNotice } from './alerts.ts'
import {
  type FileStats,
  type HostingStats,
  type KeyStats,
  type Stats,
  StatsAnswer,
  type UserStats,
} from './model.ts'

const GET_STATS = route('Instance', ANY, {
  id: 'getStats',
  summary: 'Get counts, traffic and alerts',
  description:
    'A section is null when the caller may not see it. A caller that is limited to folders gets the figures of what it reaches, ' +
    'at most a minute old. Days are in UTC, oldest first. New types of alerts may be ' +
    'added: skip unknown ones.',
  answer: StatsAnswer,
  returns: 'Stored files, traffic, and alerts.',
})

/**
 * Builds `/api/stats`: the figures of the dashboard. Any account may read it; the sections need their scopes.
 */
export function statsRoutes(context: Context & StatsSources) {
  const deps = { ...context, readInside: createInside(FILE_DAYS) }
  return new Elysia({ prefix: '/api/stats' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, request }) =>
        success(await readStats(within(deps, caller), caller, leavingOf(request))),
      { ...GET_STATS },
    )
}

/** Sources of the statistics. */
interface StatsSources {
  /** Counts of hosted requests, which are saved behind. */
  traffic: { flush: () => Promise<void>; prune: () => Promise<void> }
  updates: UpdateNotice
  https: CertificateNotice | undefined
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
async function readStats(
  deps: TreeContext & StatsSources & { readInside: ReturnType<typeof createInside> },
  caller: Caller,
  leaving: AbortSignal,
): Promise<Stats> {
  await saveCounts(deps)
  const may = (scope: Scope) => scopeProblem(caller, scope) === undefined
  const maySee = may('files:read')
  const inside = maySee && !caller.reach.isEverything ? await deps.readInside(deps) : undefined
  const mayManageKeys = caller.via === 'session' && may('api-keys:manage')
  const readFiles = () =>
    inside
      ? deps.store.read(() => insideStats(deps, inside, caller.user.id))
      : readTree(deps, leaving, (tree) => fileStats(deps, tree))
  return {
    files: maySee ? await readFiles() : null,
    apiKeys: mayManageKeys ? await deps.store.read(() => keyStats(deps, caller.user.id)) : null,
    hosting: maySee ? await hostingStats(deps, inside) : null,
    users: may('users:manage') ? await deps.store.read(() => userStats(deps)) : null,
    alerts: await findAlerts(deps, caller),
  }
}

/** Saves the counts so far, to include them. On a full disk, the earlier ones are shown. */
async function saveCounts({ traffic, keyUsage, log }: Context & StatsSources): Promise<void> {
  try {
    await Promise.all([traffic.flush(), keyUsage.flush()])
    await traffic.prune()
  } catch (error) {
    log.error('The counts could not be saved; statistics show the last saved ones', error)
  }
}

function* fileStats(deps: TreeContext, tree: TreeAtOnce): Work<FileStats> {
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

/** Returns the figures of what a limited caller reaches. */
function* insideStats(deps: TreeContext, inside: Inside, userId: string): Work<FileStats> {
  const { store } = deps
  const { counts, versions, trash, largest, newest } = inside
  const visibility = { public: counts.of('public'), private: counts.of('private') }
  const used = visibility.public.size + visibility.private.size
  const { quota, usedBytes } = yield* store.quotas.of(userId)
  const left = quota === null ? Number.POSITIVE_INFINITY : Math.max(quota - usedBytes, 0)
  const available = Math.min(store.space().available, left)
  const added = lastDays(deps, FILE_DAYS).dates.map((date) => ({ date, ...counts.of(date) }))
  return {
    total: visibility.public.count + visibility.private.count,
    folders: counts.folders,
    storage: { used, available, capacity: used + available },
    versions,
    types: counts.types(),
    largest: yield* viewsByIds(deps, largest),
    recent: yield* viewsByIds(deps, newest),
    ...{ visibility, added, trash },
  }
}

/** Returns the files among `ids` that the caller still reaches, in the order of the ids. */
function* viewsByIds({ store }: TreeContext, ids: readonly string[]): Work<FileView[]> {
  const views = yield* viewRows(store, yield* store.files.byIds(ids))
  return views.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
}

const firstFiles = (tree: TreeAtOnce, orderBy: FileOrder): Work<FileView[]> =>
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

async function hostingStats(deps: TreeContext, inside: Inside | undefined): Promise<HostingStats> {
  const { store } = deps
  const { from, dates } = lastDays(deps, HOSTING_DAYS)
  if (inside) {
    const none = { requests: 0, bytes: 0 }
    const found = await store.read(() => viewsByIds(deps, [...inside.top.keys()]))
    return {
      days: dates.map((date) => ({ date, ...(inside.days.get(date) ?? none), notFound: 0 })),
      top: found.map((file) => ({ file, ...(inside.top.get(file.id) ?? none) })),
    }
  }
  const days = everyDay(dates, await store.traffic.daysSince(from), { requests: 0, bytes: 0, notFound: 0 })
  return { days, top: await store.read(() => first((limit) => mostRequested(deps, limit))) }
}

function* mostRequested({ store }: TreeContext, limit: number): Work<HostingStats['top']> {
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
