import { Elysia } from 'elysia'
import * as T from 'typebox'
import { type Caller, type Scope, scopeProblem } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import type { ActivityType } from '../access/history.ts'
import { ANY, auth } from '../access/plugin.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { envelope, IsoTime, named, nullable, success } from '../api/schema.ts'
import { leavingOf } from '../http/exchange.ts'
import { DAY_MS, isoOrNull } from '../platform/time.ts'
import { type KeyRow, MAX_LOG_BYTES, type Work } from '../store/rows.ts'
import { FileView, viewRows } from '../views/files.ts'
import type { FileOrder } from '../views/orders.ts'
import { everyDay, lastDays, recordTime } from '../views/times.ts'
import { readTree, type TreeAtOnce } from '../views/tree.ts'

const total = { count: T.Integer(), size: T.Integer() }
const traffic = { requests: T.Integer(), bytes: T.Integer() }
const spaceLeft = { available: T.Integer(), capacity: T.Integer() }

const FileStats = named(
  'FileStats',
  T.Object({
    total: T.Integer(),
    folders: T.Integer(),
    storage: T.Object({ used: T.Integer(), ...spaceLeft }),
    versions: T.Object(total),
    types: T.Array(T.Object({ mimeType: T.String(), ...total })),
    largest: T.Array(FileView),
    recent: T.Array(FileView),
    visibility: T.Object({ public: T.Object(total), private: T.Object(total) }),
    added: T.Array(T.Object({ date: T.String(), ...total })),
    trash: T.Object(total, { description: 'Files in the trash; not part of the other figures.' }),
  }),
)

const KeyStats = named(
  'KeyStats',
  T.Object({
    total: T.Integer(),
    requests: T.Array(T.Object({ date: T.String(), count: T.Integer() })),
    keys: T.Array(
      T.Object({
        id: T.String(),
        name: T.String({ examples: ['backup script'] }),
        requests: T.Integer(),
        lastUsed: nullable(IsoTime),
        expiresAt: nullable(IsoTime),
      }),
    ),
  }),
)

const HostingStats = named(
  'HostingStats',
  T.Object({
    days: T.Array(T.Object({ date: T.String(), ...traffic, notFound: T.Integer() })),
    top: T.Array(T.Object({ file: FileView, ...traffic })),
  }),
)

const UserStats = named(
  'UserStats',
  T.Object({ total: T.Integer(), disabled: T.Integer(), sessions: T.Integer() }),
)

const StorageLow = T.Object({ type: T.Literal('storage-low'), ...spaceLeft })
const DatabaseLog = T.Object({
  type: T.Literal('database-log'),
  size: T.Integer({ description: 'Bytes of the write-ahead log of the database.' }),
  limit: T.Integer({ description: 'Maximum of those bytes.' }),
})
const Failures = T.Object({
  type: T.Union([T.Literal('unfinished'), T.Literal('uploads-failed'), T.Literal('deletes-failed')]),
  count: T.Integer(),
  latest: T.String(),
})
const Integrity = T.Object({
  type: T.Literal('integrity'),
  count: T.Integer({ description: 'Damaged files, wherever they are.' }),
  latest: T.String(),
  trash: T.Optional(T.Integer({ description: 'Those of them in the trash, if there are any.' })),
  versions: T.Optional(T.Integer({ description: 'Those of them that are replaced versions.' })),
})
const KeysToMind = T.Object({
  type: T.Union([T.Literal('keys-expired'), T.Literal('keys-expiring'), T.Literal('keys-unused')]),
  count: T.Integer(),
})
const Alert = T.Union([StorageLow, DatabaseLog, Integrity, Failures, KeysToMind])

/** Schema of the statistics. A section is null when its caller lacks the scope. */
export const Stats = named(
  'Stats',
  T.Object({
    files: nullable(FileStats),
    apiKeys: nullable(KeyStats),
    hosting: nullable(HostingStats),
    users: nullable(UserStats),
    alerts: T.Array(Alert),
  }),
)

type FileStats = T.Static<typeof FileStats>
type KeyStats = T.Static<typeof KeyStats>
type HostingStats = T.Static<typeof HostingStats>
type UserStats = T.Static<typeof UserStats>
type Alert = T.Static<typeof Alert>
export type Stats = T.Static<typeof Stats>

const StatsAnswer = envelope(Stats)

const GET_STATS = route('Instance', ANY, {
  id: 'getStats',
  summary: 'Get counts, traffic and alerts',
  description:
    'A section is null when the caller may not see it. Days are in UTC, oldest first. New types of alerts may be ' +
    'added: skip unknown ones.',
  answer: StatsAnswer,
  returns: 'Stored files, traffic, and alerts.',
})

/**
 * Builds `/api/stats`: the figures of the dashboard. Any account may read it; the sections need their scopes.
 */
export function statsRoutes(deps: Context & StatsSources) {
  return new Elysia({ prefix: '/api/stats' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, request }) =>
        success(await readStats(within(deps, caller), caller, leavingOf(request))),
      {
        ...GET_STATS,
      },
    )
}

/** Sources of the statistics. */
interface StatsSources {
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
async function readStats(
  deps: TreeContext & StatsSources,
  caller: Caller,
  leaving: AbortSignal,
): Promise<Stats> {
  await saveCounts(deps)
  const may = (scope: Scope) => scopeProblem(caller, scope) === undefined
  const seesAll = may('files:read') && caller.reach.isEverything
  const mayManageKeys = caller.via === 'session' && may('api-keys:manage')
  return {
    files: seesAll ? await readTree(deps, leaving, (tree) => fileStats(deps, tree)) : null,
    apiKeys: mayManageKeys ? await deps.store.read(() => keyStats(deps, caller.user.id)) : null,
    hosting: seesAll ? await hostingStats(deps) : null,
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

async function hostingStats(deps: TreeContext): Promise<HostingStats> {
  const { store } = deps
  const { from, dates } = lastDays(deps, HOSTING_DAYS)
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

/** Period of failures in alerts, and lead time of alerts about expiring API keys. */
const WEEK_MS = 7 * DAY_MS

const UNUSED_MS = 30 * DAY_MS

const FAILURES: Record<'uploads-failed' | 'deletes-failed', readonly ActivityType[]> = {
  'uploads-failed': ['upload.failed'],
  'deletes-failed': ['file.delete-failed', 'folder.delete-failed'],
}

/** Finds the alerts for the caller, each only with the scope to see its subject. */
async function findAlerts(deps: Context, caller: Caller): Promise<Alert[]> {
  return [
    ...(scopeProblem(caller, 'files:read') === undefined && caller.reach.isEverything
      ? [...storageAlert(deps), ...logAlert(deps), ...(await integrityAlert(deps)), ...unfinishedAlert(deps)]
      : []),
    ...(caller.via === 'session' ? await failureAlerts(deps, caller.user.id) : []),
    ...(scopeProblem(caller, 'api-keys:manage') === undefined ? await keyAlerts(deps, caller.user.id) : []),
  ]
}

function storageAlert({ store }: Context): Alert[] {
  const space = store.space()
  return space.available * 10 < space.capacity ? [{ type: 'storage-low', ...space }] : []
}

/**
 * Returns the alert about a long write-ahead log: another program has the database open for reading and
 * blocks checkpoints.
 */
function logAlert({ store }: Context): Alert[] {
  const size = store.logSize() ?? 0
  return size > MAX_LOG_BYTES ? [{ type: 'database-log', size, limit: MAX_LOG_BYTES }] : []
}

/** Returns the alert about damaged files found so far, and how many of them are not in the tree. */
async function integrityAlert({ store }: Context): Promise<Alert[]> {
  const found = await store.integrity.summary()
  if (!found) return []
  const { files, trash, versions, latest } = found
  return [
    {
      type: 'integrity',
      count: files + trash + versions,
      latest: recordTime(latest),
      ...(trash > 0 && { trash }),
      ...(versions > 0 && { versions }),
    },
  ]
}

/** Returns the alert about changes that the disk does not let finish; the log names each. */
function unfinishedAlert({ store }: Context): Alert[] {
  const found = store.unfinished.summary()
  return found ? [{ type: 'unfinished', count: found.count, latest: recordTime(found.latest) }] : []
}

async function failureAlerts({ store, clock }: Context, userId: string): Promise<Alert[]> {
  const tallies = await store.activities.tally(userId, Object.values(FAILURES).flat(), clock.now() - WEEK_MS)
  return (['uploads-failed', 'deletes-failed'] as const).flatMap((type) => {
    const found = tallies.filter((tally) => FAILURES[type].some((failure) => failure === tally.type))
    if (found.length === 0) return []
    const count = found.reduce((sum, tally) => sum + tally.count, 0)
    return [{ type, count, latest: recordTime(Math.max(...found.map(({ latest }) => latest))) }]
  })
}

/**
 * Returns the alerts about API keys. An expired key has that one only; one that expires soon may be unused as
 * well.
 */
async function keyAlerts({ store, clock }: Context, userId: string): Promise<Alert[]> {
  const now = clock.now()
  const keys = await store.keys.ofUser(userId)
  const endsBy = (time: number) => (key: KeyRow) => key.expiresAt !== null && key.expiresAt <= time
  const expired = keys.filter(endsBy(now))
  const valid = keys.filter((key) => !expired.includes(key))
  const counts = {
    'keys-expired': expired.length,
    'keys-expiring': valid.filter(endsBy(now + WEEK_MS)).length,
    'keys-unused': valid.filter(({ usedAt, createdAt }) => (usedAt ?? createdAt) <= now - UNUSED_MS).length,
  }
  return (['keys-expired', 'keys-expiring', 'keys-unused'] as const)
    .map((type) => ({ type, count: counts[type] }))
    .filter(({ count }) => count > 0)
}
