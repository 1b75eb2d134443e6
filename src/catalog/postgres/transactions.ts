import type { Query, Steps, Transact } from '../engine/query.ts'
import type { Connection } from './connection.ts'
import { drive, isQuery, PostgresQuery, type Runner } from './engine.ts'
import { isAway, isConflict, isDuplicate, UnknownCommit } from './failure.ts'
import type { Pool } from './pool.ts'

/** Start of a server, which tells it from another one and from itself after a crash. */
const START = 'extract(epoch FROM pg_postmaster_start_time())::text'
/** Id of a transaction, null before its first change, and the start of its server. */
const IDENTITY = `SELECT pg_current_xact_id_if_assigned()::text, ${START}`
/** Status of a transaction at its server. After another start the id may be that of another transaction. */
const STATUS = `SELECT CASE ${START} WHEN $2 THEN pg_xact_status($1::xid8) ELSE 'lost' END`

/** Maximum runs of a body that loses against other transactions. */
const MAX_RUNS = 50
/** Runs from which on a body runs alone: it would lose again, and make others lose. */
const RUNS_ALONE = 3
/**
 * Statements that begin a transaction. A lock of the empty table `turns` waits without a snapshot, which a query would
 * take before it waits (https://www.postgresql.org/docs/current/sql-lock.html).
 */
const BEGIN = {
  'READ COMMITTED': 'BEGIN ISOLATION LEVEL READ COMMITTED',
  SERIALIZABLE: 'BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN ROW SHARE MODE',
  alone: 'BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN EXCLUSIVE MODE',
}
/**
 * Statements that lock the tree of folders before the snapshot: it stays as it is while files are published by its keys, and
 * no file is published while a folder moves.
 */
const LOCK_TREE = {
  none: '',
  shared: '; LOCK TABLE folders IN ROW SHARE MODE',
  exclusive: '; LOCK TABLE folders IN EXCLUSIVE MODE',
}
/**
 * Statement that ends the transaction of a server that hangs, which would hold its locks until it goes on. Queries of
 * the other servers wait longer than that.
 */
const BOUND = "; SET LOCAL idle_in_transaction_session_timeout = '5s'"
/** Statement that waits for all changes of files and folders, and lets none begin before the transaction ends. */
const STOP_CHANGES = 'LOCK TABLE turns, folders IN EXCLUSIVE MODE'
/** Maximum runs of a body that insert a row that is there: the next run should find it. Lost runs do not count. */
const MAX_DUPLICATES = 3
/** Time in which the outcome of a commit is looked for, in milliseconds. */
const OUTCOME_MS = 5000
const OUTCOME_RETRY_MS = 200

type Isolation = Exclude<keyof typeof BEGIN, 'alone'>

interface Conditions {
  isolation: Isolation
  /** True when no other body runs meanwhile. */
  isAlone?: boolean
  tree?: keyof typeof LOCK_TREE
  /** Deadline of each query in milliseconds, for those that change very many rows. */
  queryMs?: number
}

interface TransactionsOptions {
  pool: Pool
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number
  /** Called after a commit that has changed something. */
  onCommit: () => void
}

/** Runs bodies of queries, each in a serializable transaction of its own. */
export class Transactions implements Runner {
  readonly #options: TransactionsOptions
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(options: TransactionsOptions) {
    this.#options = options
  }

  readonly use: Runner['use'] = (work) => this.#options.pool.use(work)

  /**
   * Runs the steps of `work` in a transaction and resolves with their result once the commit is durable. Those of a
   * body run again when another transaction has changed what they have read.
   *
   * @throws {Refusal} `unavailable` when the server is away. Nothing has changed, unless the cause is an `UnknownCommit`.
   */
  readonly transact: Transact = (work, { stopsUploads = false } = {}) =>
    this.#repeat(work, { isolation: 'SERIALIZABLE', tree: stopsUploads ? 'exclusive' : 'none' })

  /** Like `transact`, while no other body runs and no file is published. */
  readonly transactAlone: Transact = (work) =>
    this.#repeat(work, { isolation: 'SERIALIZABLE', isAlone: true, tree: 'exclusive' })

  /**
   * Like `transact`, for a body that is right when what it reads changes meanwhile. Uniqueness and references hold at
   * every isolation, and many such bodies in one folder would make each other lose.
   */
  readonly transactLoosely = <Value>(
    work: () => Steps<Value>,
    conditions: Omit<Conditions, 'isolation'>,
  ): Promise<Value> => this.#repeat(work, { isolation: 'READ COMMITTED', ...conditions })

  /** Resolves when the transactions have ended that are under way now. */
  readonly ended = async (): Promise<void> => {
    await Promise.allSettled(this.#underWay)
  }

  #repeat<Value>(work: () => Steps<Value>, conditions: Conditions): Promise<Value> {
    const repeated = this.#runRepeatedly(work, conditions).finally(() => this.#underWay.delete(repeated))
    this.#underWay.add(repeated)
    return repeated
  }

  async #runRepeatedly<Value>(work: () => Steps<Value>, conditions: Conditions): Promise<Value> {
    return await this.use(async (connection) => {
      let duplicates = 0
      for (let runs = 1; ; runs += 1) {
        try {
          return await this.#run(connection, work, { isAlone: runs >= RUNS_ALONE, ...conditions })
        } catch (error) {
          await connection.rollBack()
          const isLost = isConflict(error)
            ? runs < MAX_RUNS
            : isDuplicate(error) && ++duplicates < MAX_DUPLICATES
          if (!isLost) throw error
          await Bun.sleep(runs)
        }
      }
    })
  }

  /**
   * Waits within a transaction until no other changes files or folders; none begins before it ends. What is read
   * afterwards includes the changes of those that it waited for, unless the transaction is serializable.
   */
  readonly stopChanges: Query<void> = new PostgresQuery(this, async (connection) => {
    await connection.query(STOP_CHANGES)
  })

  /** Runs the steps of `work` at one moment of the catalog. They may change nothing. */
  readonly read = async <Value>(work: () => Steps<Value>): Promise<Value> => {
    const steps = work()
    return isQuery(steps)
      ? await this.use((connection) => drive(connection, steps))
      : await this.readOnly((connection) => drive(connection, steps))
  }

  /** Runs `work` with a connection whose queries see one moment of the catalog and change nothing. */
  readonly readOnly = <Value>(work: (connection: Connection) => Promise<Value>): Promise<Value> =>
    this.use(async (connection) => {
      try {
        await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        return await work(connection)
      } finally {
        await connection.rollBack()
      }
    })

  async #run<Value>(
    connection: Connection,
    work: () => Steps<Value>,
    { isolation, isAlone, tree = 'none', queryMs }: Conditions,
  ): Promise<Value> {
    const steps = work()
    // One statement needs no more.
    const begin = isQuery(steps) ? BEGIN['READ COMMITTED'] : BEGIN[isAlone ? 'alone' : isolation]
    await connection.script(begin + BOUND + LOCK_TREE[tree])
    const value = await within(connection, queryMs, () => drive(connection, steps))
    if (await this.#commit(connection)) this.#options.onCommit()
    return value
  }

  /** Commits, and returns true when something has changed. */
  async #commit(connection: Connection): Promise<boolean> {
    const asked = connection.query(IDENTITY)
    const [id, commit] = await Promise.allSettled([asked, connection.query('COMMIT')])
    // The transaction had failed before: its commit rolled it back without an error.
    if (id.status === 'rejected' && !isAway(id.reason)) throw id.reason
    // A transaction that has changed nothing has the id null.
    const [transactionId, serverId] = (id.status === 'fulfilled' && id.value.rows[0]) || []
    if (commit.status === 'fulfilled') return transactionId !== null
    if (!isAway(commit.reason) || transactionId === null) throw commit.reason
    if (transactionId === undefined) throw new UnknownCommit(commit.reason)
    if (!(await this.#isCommitted([transactionId, serverId], commit.reason))) throw commit.reason
    return true
  }

  /** Returns true when a transaction whose connection broke was committed. */
  async #isCommitted(identity: readonly unknown[], reason: unknown): Promise<boolean> {
    const { monotonic } = this.#options
    for (const began = monotonic(); monotonic() - began < OUTCOME_MS; ) {
      const status = await this.#statusOf(identity)
      if (status === 'committed') return true
      if (status === 'aborted') return false
      if (status === 'lost') break
      await Bun.sleep(OUTCOME_RETRY_MS)
    }
    throw new UnknownCommit(reason)
  }

  async #statusOf(identity: readonly unknown[]): Promise<unknown> {
    let connection: Connection | undefined
    try {
      connection = await this.#options.pool.connect()
      const found = await connection.query(STATUS, identity)
      return found.rows[0]?.[0]
    } catch {
      // The server is away, or another one that has not heard of the transaction.
      return undefined
    } finally {
      connection?.close()
    }
  }
}

/** Runs `work` with another deadline of queries. */
async function within<Value>(
  connection: Connection,
  queryMs: number | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const { queryMs: before } = connection
  connection.queryMs = queryMs ?? before
  try {
    return await work()
  } finally {
    connection.queryMs = before
  }
}
