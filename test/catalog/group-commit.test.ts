import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { UnknownOutcome, type Work } from '../../src/catalog/engine/query.ts'
import { SqliteQuery } from '../../src/catalog/sqlite/engine.ts'
import { GroupCommit } from '../../src/catalog/sqlite/group-commit.ts'
import { rounds } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary.ts'

function openTransactions(
  sqlite = new Database(':memory:'),
  options: { maxWaits?: number; isReadOnly?: () => boolean; hasLostPages?: () => boolean } = {},
) {
  sqlite.run('CREATE TABLE names (name TEXT PRIMARY KEY)')
  const fatal: unknown[] = []
  const reserve: string[] = []
  let rollbacks = 0
  const { transact, transactToFree, end } = new GroupCommit(sqlite, {
    ...options,
    onUnknownOutcome: (error) => fatal.push(error),
    onRollback: () => {
      rollbacks += 1
    },
    reserve: {
      giveUp: () => {
        const isKept = reserve.at(-1) !== 'given up'
        if (isKept) reserve.push('given up')
        sqlite.run('PRAGMA max_page_count = 16')
        return isKept
      },
      take: () => reserve.push('taken'),
    },
  })
  const insertOne = (name: string) =>
    new SqliteQuery(() => sqlite.run('INSERT INTO names VALUES (?)', [name]).changes)
  const insert = (name: string) => () => insertOne(name)
  const names = () =>
    sqlite
      .query<{ name: string }, []>('SELECT name FROM names ORDER BY name')
      .all()
      .map(({ name }) => name)
  return { sqlite, transact, transactToFree, end, insert, names, fatal, reserve, rollbacks: () => rollbacks }
}

/** Calls `act` before each commit, which fails when it throws. */
function beforeCommits(sqlite: Database, act: () => void): void {
  const run = sqlite.run.bind(sqlite)
  Object.assign(sqlite, {
    run: (sql: string, ...values: []) => {
      if (sql === 'COMMIT') act()
      return run(sql, ...values)
    },
  })
}

describe('transact()', () => {
  test('resolves with the result of the work after its commit', async () => {
    const { sqlite, transact, insert, names } = openTransactions()

    expect(await transact(insert('a'))).toBe(1)
    expect(sqlite.inTransaction).toBe(false)
    expect(names()).toEqual(['a'])
  })

  test('commits all work of one turn at once', async () => {
    const { sqlite, transact, insert, names } = openTransactions()
    let commits = 0
    beforeCommits(sqlite, () => {
      commits += 1
    })

    await Promise.all(['a', 'b', 'c'].map((name) => transact(insert(name))))

    expect(names()).toEqual(['a', 'b', 'c'])
    expect(commits).toBe(1)
  })

  test('waits, without blocking, for another connection that is writing', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'shared.sqlite')
    const other = new Database(path)
    const { transact, insert, names, fatal } = openTransactions(new Database(path))
    other.run('BEGIN IMMEDIATE')

    const first = transact(insert('a'))
    await rounds()
    const second = transact(insert('b'))
    const whileWaiting = names()
    other.run('ROLLBACK')
    const changes = await Promise.all([first, second])

    expect(whileWaiting).toEqual([])
    expect(changes).toEqual([1, 1])
    expect(names()).toEqual(['a', 'b'])
    expect(fatal).toEqual([])
  })

  test('refuses work that waited too long for another connection, and accepts later work', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'shared.sqlite')
    const other = new Database(path)
    const { transact, insert, names, fatal } = openTransactions(new Database(path), { maxWaits: 10 })
    other.run('BEGIN IMMEDIATE')

    const refused = await transact(insert('a')).catch((error: unknown) => error)
    const waiting = transact(insert('b'))
    other.run('ROLLBACK')

    expect(refused).toMatchObject({ reason: 'unavailable', headers: { 'Retry-After': '5' } })
    expect(await waiting).toBe(1)
    expect(names()).toEqual(['b'])
    expect(fatal).toEqual([])
  })

  test('undoes a piece that throws, and only that', async () => {
    const { transact, insert, names, fatal } = openTransactions()
    const failing = function* (): Work<void> {
      yield* insert('half')()
      throw new RangeError('refused')
    }

    const outcomes = await Promise.allSettled([
      transact(insert('a')),
      transact(failing),
      transact(insert('b')),
      transact(insert('a')),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    expect(outcomes[1]).toMatchObject({ reason: expect.any(RangeError) })
    expect(names()).toEqual(['a', 'b'])
    expect(fatal).toEqual([])
  })

  test('reports each piece that it rolls back, whose reads may be cached', async () => {
    const { transact, insert, rollbacks } = openTransactions()

    await Promise.allSettled(['a', 'a', 'b', 'b'].map((name) => transact(insert(name))))

    expect(rollbacks()).toBe(2)
  })

  test('reports a commit of unknown outcome once and rejects every waiting job', async () => {
    const { sqlite, transact, insert, fatal } = openTransactions()
    const ioError = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
    beforeCommits(sqlite, () => {
      throw ioError
    })

    const outcomes = await Promise.allSettled([transact(insert('a')), transact(insert('b'))])

    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([
      expect.any(UnknownOutcome),
      expect.any(UnknownOutcome),
    ])
    expect(fatal).toEqual([ioError])
  })

  test('refuses work for lack of space and continues when the log could not be written', async () => {
    const { sqlite, transact, insert, names, fatal } = openTransactions()
    let full = true
    beforeCommits(sqlite, () => {
      if (full) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    })

    expect(transact(insert('a'))).rejects.toMatchObject({ reason: 'no-space' })
    await transact(insert('b')).catch(() => {})
    full = false
    await transact(insert('c'))

    expect(names()).toEqual(['c'])
    expect(fatal).toEqual([])
  })

  test('refuses waiting and later work once it has ended, and does not use the closed database', async () => {
    const { sqlite, transact, end, insert, fatal } = openTransactions()

    const waits = transact(insert('a'))
    end()
    sqlite.close()
    const outcomes = await Promise.allSettled([waits, transact(insert('b'))])
    await new Promise(setImmediate)

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(fatal).toEqual([])
  })

  test('on a full volume retries with the reserve only work that frees space', async () => {
    const { sqlite, transact, transactToFree, insert, names, fatal, reserve } = openTransactions()
    sqlite.run('PRAGMA max_page_count = 4')
    const big = 'x'.repeat(10_000)

    const outcomes = await Promise.allSettled([
      transactToFree(insert(big)),
      transact(insert('ordinary')),
      transactToFree(insert('freeing')),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { reason: 'no-space' } })
    expect(names()).toEqual(['freeing', big])
    expect(reserve).toEqual(['given up', 'taken'])
    expect(transact(insert('y'.repeat(50_000)))).rejects.toMatchObject({ reason: 'no-space' })
    await transact(insert('z'))
    expect(reserve).toHaveLength(2)
    expect(fatal).toEqual([])
  })

  test('refuses work that frees space when the reserve is too small for it', async () => {
    const { sqlite, transactToFree, insert, names, reserve } = openTransactions()
    sqlite.run('PRAGMA max_page_count = 4')

    expect(transactToFree(insert('x'.repeat(100_000)))).rejects.toMatchObject({ reason: 'no-space' })
    await transactToFree(insert('small'))

    expect(names()).toEqual(['small'])
    expect(reserve).toEqual(['given up', 'taken'])
  })
})

describe('a disk that takes no writes', () => {
  test('refuses changes until it takes them again; nothing of those that were refused is there', async () => {
    const sqlite = new Database(':memory:')
    const { transact, insert, names, fatal } = openTransactions(sqlite, { isReadOnly: () => true })
    await transact(insert('before'))
    sqlite.run('PRAGMA query_only = ON')

    const refused = await transact(insert('meanwhile')).catch((error: unknown) => error)
    const seen = names()
    sqlite.run('PRAGMA query_only = OFF')
    await transact(insert('afterwards'))

    expect(refused).toMatchObject({ reason: 'unavailable', message: 'The volume is read-only' })
    expect(seen).toEqual(['before'])
    expect(names()).toEqual(['afterwards', 'before'])
    expect(fatal).toEqual([])
  })
})

describe('a failed sync of another connection', () => {
  test('leaves the outcome of a commit unknown although its own sync succeeded', async () => {
    let isLost = false
    const { transact, insert, fatal } = openTransactions(undefined, { hasLostPages: () => isLost })
    await transact(insert('before'))
    isLost = true

    await expect(transact(insert('after'))).rejects.toBeInstanceOf(UnknownOutcome)

    expect(fatal).toHaveLength(1)
  })
})
