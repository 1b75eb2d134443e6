import type { Owes } from '../engine/engine.ts'
import { ChangeNotes, type Noted, Notes } from '../engine/notes.ts'
import type { Steps, Work } from '../engine/query.ts'
import { removeInSlices } from '../engine/slices.ts'
import { admitPublication, insertPublication, type Publication, type Terms } from '../publication.ts'
import { tablesOf } from '../tables.ts'
import type { BulkChange } from '../tree/bulk.ts'
import type { FoundPage, NameSearch } from '../tree/search.ts'
import { checkQueries } from './check.ts'
import type { Connection } from './connection.ts'
import { postgresEngine } from './engine.ts'
import { type ChangeEvent, Fence } from './fence.ts'
import { FolderWalks, prepareAccessAt } from './folder-tree.ts'
import { assertMigrated, migrate } from './migrate.ts'
import { nodeQueries } from './nodes.ts'
import { pieceQueries } from './pieces.ts'
import { Pool } from './pool.ts'
import { PostgresReaders } from './readers.ts'
import { searchAdvice } from './search/indexes.ts'
import { createSearchSlots, findPage } from './search/search.ts'
import { throttleQueries } from './throttles.ts'
import { Transactions } from './transactions.ts'

/** Deadline of a change of all files in a folder, in milliseconds: a million files have ten million index entries. */
const BULK_MS = 600_000
/** Time in which most transactions end, in milliseconds. */
const COMMIT_MS = 300
/** Maximum files, and folders, below a folder that are changed while all other changes wait. */
const FEW_FILES = 2000

interface PostgresOptions {
  /** Address of the database, with its credentials. */
  url: string
  /** Maximum connections at a time. */
  pool: number
  /** Id of this process among the nodes. */
  node: string
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number
  /** Called with changes of what nodes keep in memory, before `fence` resolves. */
  onEvents: (events: ChangeEvent[]) => void | Promise<void>
  /** Called when events may have been missed. */
  onMissed: () => void | Promise<void>
  /** Purges that a cache in front is owed. */
  owes?: Owes
}

type Connecting = Pick<PostgresOptions, 'url' | 'pool' | 'monotonic' | 'owes'>

/** Returns the functions of every table on a new pool of connections. */
function connect({ url, pool: size, monotonic, owes }: Connecting, onCommit = () => {}, notes = new Notes()) {
  const pool = new Pool({ url, size })
  const transactions = new Transactions({ pool, monotonic, onCommit })
  const engine = postgresEngine(transactions, { notes, ...(owes && { owes }) })
  const tree = new FolderWalks(engine)
  return { pool, engine, tree, tables: tablesOf(engine, tree), transactions }
}

/**
 * Opens the catalog in PostgreSQL for a command, which may run beside servers.
 *
 * @throws {StartError} when there is none, or it is of another version; {AwayError} when it cannot be reached.
 */
export async function connectPostgres(options: Pick<PostgresOptions, 'url' | 'pool' | 'monotonic'>) {
  await assertMigrated(options.url)
  const { pool, tables, transactions } = connect(options)
  const { wrongTotals, mend } = checkQueries(pool)
  return {
    ...tables,
    read: transactions.read,
    transact: transactions.transact,
    mend,
    // References and pages are the server's to check.
    check: { damage: async () => [], dangling: async () => [], wrongTotals },
    close: () => pool.close(),
  }
}

type Connected = ReturnType<typeof connect>

/** Returns the changes of very many rows, and the ones that may run beside them. */
function largeChanges({ tables, transactions }: Connected) {
  const { transactAlone, transactLoosely, stopChanges } = transactions
  return {
    setVisibilityBelow: async (bulk: BulkChange, authorize: () => Steps<void>): Promise<number> => {
      const isLarge = await tables.bulk.hasMoreBelow(bulk.folderId, FEW_FILES)
      const change = function* (): Work<number> {
        yield* authorize()
        return yield* tables.bulk.setVisibilityBelow(bulk)
      }
      if (!isLarge) return await transactAlone(change)
      return await transactLoosely(
        function* () {
          const changed = yield* change()
          // Files that were published or moved meanwhile are few: only their change makes others wait.
          yield* stopChanges
          return changed + (yield* change())
        },
        { queryMs: BULK_MS },
      )
    },
    publish: (publication: Publication, decide: () => Steps<Terms>): Promise<Terms> =>
      transactLoosely(
        function* () {
          const terms = yield* admitPublication(tables, publication, decide)
          yield* insertPublication(tables, publication, terms)
          return terms
        },
        { tree: 'shared' },
      ),
  }
}

/** Returns the functions of searches. */
function searching({ tables, tree, transactions }: Connected) {
  const searches = createSearchSlots()
  return {
    search: async (search: NameSearch, leaving: AbortSignal): Promise<FoundPage> => {
      const release = await searches.take(leaving)
      try {
        return await transactions.readOnly((connection) =>
          findPage(connection, { ...tables, tree }, { search, leaving }),
        )
      } finally {
        release()
      }
    },
    longestPathBelow: async (id: string): Promise<number> => await tables.folders.longestPathBelow(id),
    hasPathBelow: async (id: string, bytes: number, nameBytes: number): Promise<boolean> =>
      await tables.folders.hasPathBelow(id, bytes, nameBytes),
  }
}

/** Returns the functions of one node among others. */
function sharing({ pool }: Connected, nodes: ReturnType<typeof nodeQueries>, fence: Fence) {
  /** Adds up the parts of the totals, which grow with each change. */
  const foldTotals = (): Promise<void> =>
    pool.use(async (connection) => {
      await connection.query('SELECT fold_totals(), fold_folders()')
    })
  return {
    nodes,
    foldTotals,
    announce: nodes.announce,
    doomAbandoned: (_node: string, notBefore: number) => nodes.doomAbandoned(notBefore),
    /** Returns true when this node is to do a job. It knows every change then: a node without requests may know none. */
    claim: async (job: string, everyMs: number): Promise<boolean> => {
      const isOurs = await nodes.claim(job, everyMs)
      if (isOurs) await fence.pass()
      return isOurs
    },
    holds: nodes.holds,
    /**
     * Resolves when this node knows every commit that had ended `maxAgeMs` before the call, on any node; `undefined`
     * when it does.
     */
    fence: (maxAgeMs?: number) => fence.pass(maxAgeMs),
    isShared: true,
    jobs: [
      {
        pattern: '*/5 * * * * *',
        task: 'Renewing the lease of this server',
        run: nodes.renew,
        isEverywhere: true,
      },
      { pattern: '*/10 * * * * *', task: 'Adding up the totals', run: foldTotals },
      { pattern: '* * * * *', task: 'Removing old events', run: nodes.prune },
    ],
  }
}

/**
 * Opens the catalog in PostgreSQL, with the functions of the one in SQLite.
 *
 * @throws {StartError} when the database comes from a newer version.
 */
export async function openPostgres(options: PostgresOptions) {
  const { url, node, monotonic, onEvents, onMissed } = options
  await migrate(url)
  /** Number of commits of this process, and of reads that found commits of others. */
  let version = 0
  const onCommit = () => {
    version += 1
  }
  const [changeNotes, notes] = [new ChangeNotes(), new Notes()]
  notes.add(changeNotes.note)
  const connected = connect(options, onCommit, notes)
  const { pool, engine, tables, transactions } = connected
  const { transact, read } = transactions
  const readers = new PostgresReaders(url)
  const check = checkQueries(pool)
  const nodes = nodeQueries(pool, node)
  const fence = new Fence({
    pool,
    monotonic,
    onEvents: (events) => {
      onCommit()
      return onEvents(events)
    },
    onMissed: () => {
      onCommit()
      return onMissed()
    },
  })
  // The first read knows which transactions are under way. Memory is empty.
  await Promise.all([fence.pass(), nodes.renew()])
  return {
    ...tables,
    ...largeChanges(connected),
    ...searching(connected),
    ...sharing(connected, nodes, fence),
    ...{ changeNotes, check, transact, read, readers },
    // Nothing to begin or end: other nodes may have streams.
    watch: () => {},
    ended: transactions.ended,
    takeNoted: () => takeCommitted(changeNotes, transactions),
    accessAt: prepareAccessAt(engine),
    mend: check.mend,
    /** Like `transact`: the space of the server is not ours to reserve. */
    transactToFree: transact,
    removeInSlices: removeInSlices(transact, monotonic),
    throttles: throttleQueries(pool),
    pieces: pieceQueries(engine),
    version: (): number => version,
    filesVersion: (): number => version,
    /** Undefined: the log is the server's. */
    logSize: () => undefined,
    poolUse: () => pool.slots,
    /** Returns sentences about settings of the server that an operator should know. */
    advice: () => pool.use(adviceOn),
    close: () => {
      readers.close()
      pool.close()
    },
  }
}

const adviceOn = async (connection: Connection): Promise<string[]> => [
  ...(await durabilityAdvice(connection)),
  ...(await searchAdvice(connection)),
]

/** Takes the notes when they are committed. Those of a transaction that takes long are noted again at its end. */
async function takeCommitted(notes: ChangeNotes, transactions: Transactions): Promise<Noted | undefined> {
  const noted = notes.take()
  if (!noted) return undefined
  const ended = transactions.ended()
  const inTime = ended.then(() => true)
  if (!(await Promise.race([inTime, Bun.sleep(COMMIT_MS)]))) void ended.then(() => notes.add(noted))
  return noted
}

export type PostgresCatalog = Awaited<ReturnType<typeof openPostgres>>

/** Settings and standbys that decide when a commit is acknowledged. Another account than its own sees no `sync_state`. */
const DURABILITY = `SELECT current_setting('synchronous_commit'),
  count(*) FILTER (WHERE sync_state = 'async'), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))
  FROM pg_stat_replication`

/** Returns sentences about acknowledged changes that a crash or a fail-over of the server would lose. */
export async function durabilityAdvice(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query(DURABILITY)
  const [commit, behind, synchronous] = rows[0] ?? []
  if (commit === 'off')
    return [
      'PostgreSQL has synchronous_commit off: a crash of it loses acknowledged changes. Turn it on, at least for this user',
    ]
  if (behind === 0 || (synchronous !== 0 && commit !== 'local')) return []
  return [
    'PostgreSQL does not wait for its standby: a fail-over loses acknowledged changes. Set synchronous_standby_names, and ' +
      'synchronous_commit to on',
  ]
}
