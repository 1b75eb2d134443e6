import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { Query, Work } from '../../src/catalog/engine/query.ts'
import { runNow, SqliteQuery } from '../../src/catalog/sqlite/engine.ts'
import { GroupCommit } from '../../src/catalog/sqlite/group-commit.ts'

function openNames() {
  const sqlite = new Database(':memory:')
  sqlite.run('CREATE TABLE names (name TEXT PRIMARY KEY)')
  const all = () =>
    sqlite
      .query<{ name: string }, []>('SELECT name FROM names ORDER BY name')
      .all()
      .map(({ name }) => name)
  const names = {
    all: () => new SqliteQuery(all),
    insert: (name: string) =>
      new SqliteQuery(() => {
        sqlite.run('INSERT INTO names VALUES (?)', [name])
      }),
  }
  const { transact } = new GroupCommit(sqlite, { onUnknownOutcome: () => {}, onRollback: () => {} })
  return { names, all, transact }
}

describe('a query', () => {
  test('runs when it is awaited, each time', async () => {
    const { names, all } = openNames()
    const insert = names.insert('a')

    expect(all()).toEqual([])
    await insert

    expect(await names.all()).toEqual(['a'])
    expect(insert.then()).rejects.toThrow('UNIQUE')
  })

  test('runs as often as it is awaited when its result is converted', async () => {
    const { names } = openNames()
    const count = names.all().into((all) => all.length)

    expect(await count).toBe(0)
    await names.insert('a')

    expect(await count).toBe(1)
  })

  test('never runs when it is dropped', async () => {
    const { names, all, transact } = openNames()

    await transact(function* () {
      const dropped = names.insert('dropped')
      yield* names.insert('run')
      expect(dropped).toBeDefined()
    })

    expect(all()).toEqual(['run'])
  })
})

describe('a body of queries', () => {
  test('reads what it has written, and returns its result', async () => {
    const { names, transact } = openNames()

    const read = await transact(function* () {
      yield* names.insert('a')
      return yield* names.all()
    })

    expect(read).toEqual(['a'])
  })

  test('runs in one turn with the other bodies of its commit', async () => {
    const { names, transact } = openNames()
    const seen: string[] = []
    function* body(name: string): Work<void> {
      seen.push(`${name} begins`)
      yield* names.insert(name)
      seen.push(`${name} ends`)
    }

    await Promise.all([transact(() => body('a')), transact(() => body('b'))])

    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  test('rolls back its own changes alone when it throws', async () => {
    const { names, all, transact } = openNames()
    function* failing(): Work<void> {
      yield* names.insert('lost')
      throw new Error('no')
    }

    const outcomes = await Promise.allSettled([
      transact(() => names.insert('a')),
      transact(failing),
      transact(() => names.insert('b')),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(all()).toEqual(['a', 'b'])
  })

  test('receives the error of a query where it runs it', async () => {
    const { names, all, transact } = openNames()
    function* insertOnce(name: string): Work<string> {
      try {
        yield* names.insert(name)
        return 'inserted'
      } catch {
        return 'there already'
      }
    }

    const done = await transact(function* () {
      return [yield* insertOnce('a'), yield* insertOnce('a')]
    })

    expect(done).toEqual(['inserted', 'there already'])
    expect(all()).toEqual(['a'])
  })

  test('rejects with an error that no query of it catches', () => {
    const { names, transact } = openNames()

    const inserted = transact(function* () {
      yield* names.insert('a')
      yield* names.insert('a')
    })

    expect(inserted).rejects.toThrow('UNIQUE')
  })

  test('runs on an engine whose queries take time', async () => {
    const { names } = openNames()
    const drive = async <Value>(body: Work<Value>): Promise<Value> => {
      let step = body.next()
      while (!step.done) step = body.next(await answerLater(step.value))
      return step.value
    }
    const answerLater = async (query: Query<unknown>): Promise<unknown> => {
      await new Promise(setImmediate)
      return query
    }

    function* insertBoth(): Work<string[]> {
      for (const name of ['a', 'b']) yield* names.insert(name)
      return yield* names.all()
    }

    expect(await drive(insertBoth())).toEqual(['a', 'b'])
  })
})

describe('runNow()', () => {
  test('runs a query or a body before it returns', () => {
    const { names } = openNames()

    runNow(names.insert('a'))

    expect(runNow(names.all())).toEqual(['a'])
  })
})
