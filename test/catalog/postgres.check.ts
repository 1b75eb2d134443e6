import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { SQL } from 'bun'
import { migrations } from '../../drizzle/postgres/migrations.ts'
import type { Work } from '../../src/catalog/engine/query.ts'
import type { Connection } from '../../src/catalog/postgres/connection.ts'
import { PostgresQuery } from '../../src/catalog/postgres/engine.ts'
import { UnknownCommit } from '../../src/catalog/postgres/failure.ts'
import { withoutServers } from '../../src/catalog/postgres/migrate.ts'
import type { PostgresCatalog } from '../../src/catalog/postgres/open.ts'
import { Pool } from '../../src/catalog/postgres/pool.ts'
import { Refusal, refuseConflict, StartError } from '../../src/platform/errors.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { fileRow, folderRow, id, NOW, openNode } from '../support/engines.ts'
import { eventually, HUNG_MS } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

/** Version whose migration changes the table of files. */
const UTF8_TEXTS = 17

let server: TestPostgres
let url: string
/** Two nodes on one database. */
let one: PostgresCatalog
let two: PostgresCatalog

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.dispose]())

beforeEach(async () => {
  url = server.createDatabase()
  ;[one, two] = await Promise.all([openNode(url), openNode(url)])
  await one.transact(() =>
    one.folders.insert([folderRow(1, null, ''), folderRow(2, 1, 'a'), folderRow(3, 1, 'b')]),
  )
})
afterEach(() => {
  one.close()
  two.close()
})

const count = async (results: Promise<unknown>[]) =>
  (await Promise.allSettled(results)).filter(({ status }) => status === 'fulfilled').length

describe('of two nodes', () => {
  test('one migrates, and both start', async () => {
    expect(await two.folders.root()).toBe(id(1))
  })

  test('one makes a file or a folder of a name, never both', async () => {
    function* makeFile(catalog: PostgresCatalog, n: number, name: string): Work<void> {
      if (yield* catalog.folders.byName(id(2), name)) throw refuseConflict('There is a folder')
      yield* catalog.files.insert([fileRow(n, 2, name)])
    }
    function* makeFolder(catalog: PostgresCatalog, n: number, name: string): Work<void> {
      if (yield* catalog.files.byName(id(2), name)) throw refuseConflict('There is a file')
      yield* catalog.folders.insert([folderRow(n, 2, name)])
    }
    for (let n = 0; n < 50; n++) {
      const made = await Promise.allSettled([
        one.transact(() => makeFile(one, 1000 + n, `name ${n}`)),
        two.transact(() => makeFolder(two, 2000 + n, `name ${n}`)),
      ])
      const refused = made.filter((one) => one.status === 'rejected')
      expect(refused).toHaveLength(1)
      expect(refused[0]?.reason).toBeInstanceOf(Refusal)
    }
  })

  test('one that lost to the other twice still finds the folder that the other makes', async () => {
    /** Runs between two queries of a body, outside of its transaction. */
    const meanwhile = (work: () => PromiseLike<void>) =>
      new PostgresQuery<void>({ use: () => Promise.reject(), transact: one.transact }, async () => work())
    let runs = 0
    const made = one.transact(function* () {
      runs += 1
      if (yield* one.folders.byName(id(3), 'x')) throw refuseConflict('There is a folder')
      if (runs <= 2) yield* meanwhile(() => two.folders.update(id(3), { updatedAt: NOW + runs }))
      else yield* meanwhile(() => two.folders.insert([folderRow(2000, 3, 'x')]))
      yield* one.folders.insert([folderRow(1000, 3, 'x')])
      yield* one.folders.update(id(3), { updatedAt: NOW })
    })

    await expect(made).rejects.toBeInstanceOf(Refusal)
    expect(runs).toBe(4)
  })

  test('one moves a folder into another, never both into each other', async () => {
    function* isBelow(catalog: PostgresCatalog, folderId: string, above: string): Work<boolean> {
      for (let at: string | null = folderId; at !== null; ) {
        if (at === above) return true
        at = (yield* catalog.folders.byId(at))?.parentId ?? null
      }
      return false
    }
    function* move(catalog: PostgresCatalog, from: string, to: string): Work<void> {
      if (yield* isBelow(catalog, to, from)) throw refuseConflict('It is below itself')
      yield* catalog.folders.update(from, { parentId: to, updatedAt: NOW })
    }
    for (let n = 0; n < 30; n++) {
      const moved = await count([
        one.transact(() => move(one, id(2), id(3))),
        two.transact(() => move(two, id(3), id(2))),
      ])
      expect(moved).toBe(1)
      expect([await one.folders.keyOf(id(2)), await one.folders.keyOf(id(3))]).not.toContain(undefined)
      for (const back of [2, 3]) await one.folders.update(id(back), { parentId: id(1) })
    }
  })

  test('one makes the first admin', async () => {
    function* register(catalog: PostgresCatalog, n: number): Work<string> {
      const role = (yield* catalog.users.count()) === 0 ? 'admin' : 'viewer'
      const row = {
        name: 'x',
        email: `${n}@example.com`,
        passwordHash: '',
        image: null,
        customScopes: [],
        disabled: false,
        secondFactor: false,
        limited: false,
        language: null,
      }
      yield* catalog.users.insert({ ...row, id: id(n), role, createdAt: NOW, updatedAt: NOW })
      return role
    }
    const roles = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const node = n % 2 === 0 ? one : two
        return node.transact(() => register(node, n))
      }),
    )
    expect(roles.filter((role) => role === 'admin')).toHaveLength(1)
  })

  test('both add to totals without a wait for each other, and a fold keeps them', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => fileRow(1000 + n, 2, `file ${n}`, { size: 10 }))
    const folding = [one.foldTotals(), two.foldTotals()]
    await Promise.all(
      rows.map((row, n) =>
        (n % 2 === 0 ? one : two).transact(() => (n % 2 === 0 ? one : two).files.insert([row])),
      ),
    )
    await Promise.all([...folding, one.foldTotals(), two.foldTotals()])
    expect(await two.totals.byVisibility()).toEqual({
      public: { count: 0, size: 0 },
      private: { count: 200, size: 2000 },
    })
    expect(await two.totals.folders()).toBe(3)
  })

  test('both publish into one folder without an end of tries', async () => {
    const publish = (catalog: PostgresCatalog, n: number) =>
      catalog.publish({ folders: [], files: [fileRow(n, 2, `file ${n}`)] }, function* () {
        expect(yield* catalog.files.byName(id(2), `file ${n}`)).toBeUndefined()
        return { visibility: 'public' }
      })
    const look = (catalog: PostgresCatalog, n: number) =>
      catalog.transact(function* () {
        expect(yield* catalog.files.byName(id(2), `file ${n}`)).toBeUndefined()
        yield* catalog.files.insert([fileRow(n, 2, `file ${n}`)])
      })
    // A busy server refuses what has waited for long, and says when to try again.
    const untilServed = async (send: () => Promise<unknown>): Promise<unknown> => {
      try {
        return await send()
      } catch (error) {
        if (!(error instanceof Refusal) || error.reason !== 'unavailable') throw error
        await Bun.sleep(Number(error.headers['Retry-After']) * 1000)
        return untilServed(send)
      }
    }
    const nodes = [one, two]
    const all = Array.from({ length: 400 }, (_, n) =>
      nodes.map((node, at) => untilServed(() => (n % 2 === 0 ? publish : look)(node, 1000 + 2 * n + at))),
    )
    await Promise.all(all.flat())
    expect((await one.totals.byVisibility()).public.count).toBe(400)
    const change = { folderId: id(1), visibility: 'private', updatedAt: NOW } as const
    expect(await one.setVisibilityBelow(change, function* () {})).toBe(400)
    expect((await two.totals.byVisibility()).private.count).toBe(800)
  })

  test('a file is never left without its folder', async () => {
    const ended = await count([
      one.transact(() => one.files.insert([fileRow(1000, 2, 'x')])),
      two.transact(() => two.folders.remove(id(2))),
    ])
    expect(ended).toBe(1)
  })
})

describe('a start', () => {
  test.each([
    [
      'a database that does not exist',
      (at: URL) => Object.assign(at, { pathname: '/none' }),
      'no database of this name',
    ],
    ['an unknown user', (at: URL) => Object.assign(at, { username: 'stranger' }), 'unknown or not allowed'],
    ['a port without a server', (at: URL) => Object.assign(at, { port: '1' }), 'cannot be reached'],
  ])('with %s ends with the reason, without the password', async (_, change, reason) => {
    const at = change(new URL(url))
    at.password = 'geheim'
    const error = await openNode(at.href).then(undefined, (thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StartError)
    expect(String(error)).toContain(reason)
    expect(Bun.inspect(error)).not.toContain('geheim')
  })

  test('that builds an index again lets the writes of other servers through meanwhile', async () => {
    await using admin = new SQL({ url, max: 1 })
    await using writer = new SQL({ url, max: 1 })
    await admin`DROP INDEX files_found, folders_beginning`
    // As a build that was interrupted leaves it.
    await admin`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'files_beginning'::regclass`
    await writer.unsafe(`BEGIN; UPDATE files SET size = size; DELETE FROM folders WHERE id = '${id(3)}'`)
    const starts = openNode(url)
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock' AND query ~ '(CREATE|DROP) INDEX'`
    await eventually(async () => (await admin.unsafe(waits)).length > 0)

    await one.transact(() => one.folders.insert([folderRow(1000, 2, 'beside')]))
    await writer.unsafe('COMMIT')
    const third = await starts
    third.close()

    const invalid =
      "SELECT 1 FROM pg_index WHERE NOT indisvalid AND indrelid IN ('files'::regclass, 'folders'::regclass)"
    expect(await admin.unsafe(invalid)).toHaveLength(0)
    const found = await admin`SELECT to_regclass('files_found') IS NOT NULL AS is_there`
    expect(found[0]).toMatchObject({ is_there: true })
  })

  test.each([
    [
      'a migration',
      async (admin: SQL) => {
        for (const text of migrations.slice(0, UTF8_TEXTS)) await admin.unsafe(text)
        await admin.unsafe(`CREATE TABLE schema_version (version bigint NOT NULL);
          INSERT INTO schema_version VALUES (${UTF8_TEXTS})`)
      },
    ],
    [
      'a changed index',
      async (admin: SQL, address: string) => {
        ;(await openNode(address)).close()
        await admin.unsafe(`CREATE OR REPLACE FUNCTION facets(name text, mime_type text, visibility text, uploader text)
          RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ARRAY[name]; END'`)
      },
    ],
  ])('that waits with %s for a backup lets other queries through', async (_, prepare) => {
    const older = server.createDatabase()
    await using admin = new SQL({ url: older, max: 1 })
    await using backup = new SQL({ url: older, max: 1 })
    await prepare(admin, older)
    await backup.unsafe('BEGIN; SELECT count(*) FROM files')
    const starts = openNode(older)
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND wait_event_type = 'Lock'`
    await eventually(async () => (await admin.unsafe(waits)).length > 0)

    await admin.unsafe(`SET lock_timeout = ${HUNG_MS}`)
    expect(await admin`SELECT count(*) FROM files`).toHaveLength(1)
    await backup.unsafe('COMMIT')
    const node = await starts
    node.close()
  })

  test('with a database of a newer version changes nothing', async () => {
    await using admin = new SQL(url)
    await admin`UPDATE schema_version SET version = 1000`
    await expect(openNode(url)).rejects.toThrow(
      /newer version of Holdfast: it has 1000 migrations.*restore the backup/,
    )
    expect((await admin`SELECT version FROM schema_version`)[0]).toEqual({ version: '1000' })
  })
})

test('a command waits for the lock of a process that ends, and is refused while it is held', async () => {
  await using holder = new SQL({ url, max: 1 })
  await holder`DELETE FROM nodes`
  await holder`SELECT pg_advisory_lock(5219970450297975668)`
  const work = async () => 'done'
  const tries = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock%'`
  const hasTried = async () => (await holder.unsafe(tries)).length > 0
  await expect(withoutServers(url, work, 0)).rejects.toThrow('A server is starting on the database')
  // The session of the refused one ends by itself.
  await eventually(async () => !(await hasTried()))

  const waits = withoutServers(url, work, HUNG_MS)
  await eventually(hasTried)
  await holder.end()
  expect(await waits).toBe('done')
})

describe('a pooler', () => {
  test('accepts the startup message, which sets only what it knows', async () => {
    const began = Promise.withResolvers<string[]>()
    // The message is its length, the version, and names and values that end with NUL.
    const listening = createServer((socket) => {
      socket.once('data', (bytes) => {
        const words = Buffer.from(bytes).subarray(8).toString().split('\0')
        began.resolve(words.filter((word, index) => index % 2 === 0 && word !== ''))
        socket.destroy()
      })
    })
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    const address = listening.address()
    if (address === null || typeof address === 'string') throw new Error('No port is free')
    const pool = new Pool({ url: `postgres://holdfast@127.0.0.1:${address.port}/holdfast`, size: 1 })
    await expect(pool.use((connection) => connection.query('SELECT 1'))).rejects.toThrow()
    pool.close()
    listening.close()

    // https://www.pgbouncer.org/config.html#ignore_startup_parameters
    const known = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone']
    expect((await began.promise).filter((name) => !known.includes(name))).toEqual([])
  })

  test('that changes the connection between transactions is refused in words', async () => {
    const pool = new Pool({ url, size: 1 })
    const taken = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '42P05'; END $$"
    await expect(pool.use((connection) => connection.query(taken))).rejects.toThrow('pool_mode = session')
    pool.close()
  })
})

describe('a check', () => {
  test('finds totals and names that are wrong, which a recount mends', async () => {
    await using admin = new SQL(url)
    await one.files.insert([fileRow(1000, 2, 'x'), fileRow(1001, 3, 'y')])
    await one.files.update(id(1000), { name: 'z', size: 5, mimeType: 'image/png' })
    await one.folders.detach(id(3))
    expect(await one.check.wrongTotals()).toEqual([])
    await admin`INSERT INTO total_parts VALUES ('day', '2024-01-01', '', 1, 1), ('folder', '', '', 1, 0)`
    await admin`DELETE FROM names WHERE id = ${id(1000)}`
    expect(await one.check.wrongTotals()).toEqual(['file_days', 'folder_total', 'names'])
    await one.check.mend()
    expect(await two.check.wrongTotals()).toEqual([])
  })
})

describe('a body', () => {
  test('sees what it has written, and rolls back alone when it throws', async () => {
    const failing = one.transact(function* () {
      yield* one.files.insert([fileRow(1000, 2, 'x')])
      expect(yield* one.files.byName(id(2), 'x')).toBeDefined()
      throw new Error('no')
    })
    expect(failing).rejects.toThrow('no')
    await failing.catch(() => {})
    expect(await two.files.byName(id(2), 'x')).toBeUndefined()
  })

  test('fails as a whole after a failed query, even if it continues', async () => {
    const going = one.transact(function* () {
      yield* one.files.insert([fileRow(1000, 2, 'x')])
      try {
        yield* one.files.insert([fileRow(1001, 999, 'no folder')])
      } catch {
        return 'went on'
      }
      return 'inserted'
    })
    expect(going).rejects.toThrow()
    await going.catch(() => {})
    expect(await one.files.byId(id(1000))).toBeUndefined()
  })

  test('never continues outside of its transaction after its connection broke', async () => {
    await using admin = new SQL(url)
    const broken = one.transact(function* () {
      yield* one.files.insert([fileRow(1000, 2, 'x')])
      // Stops the body until the server has ended its connection.
      Bun.spawnSync([
        'psql',
        url,
        '-c',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      ])
      yield* one.files.insert([fileRow(1001, 2, 'y')])
    })
    expect(broken).rejects.toMatchObject({ reason: 'unavailable', headers: { 'Retry-After': '5' } })
    await broken.catch(() => {})
    expect(await admin`SELECT count(*)::int AS files FROM files`).toEqual([{ files: 0 }])
    expect(await one.folders.root()).toBe(id(1))
  })
})

describe('a query', () => {
  test('that stores a NUL in a text is refused as invalid', async () => {
    const insert = () => one.transact(() => one.instance.set('name', 'a\0b'))
    await expect(insert()).rejects.toMatchObject({ reason: 'invalid' })
  })

  test('that inserts many rows stores each text exactly, and does the work of triggers once', async () => {
    const names = [
      '"quoted" \\ and \\u0041',
      'tab\tand line\nfeed',
      'ünï 🎉',
      ...Array.from({ length: 500 }, (_, n) => `${n}`),
    ]
    const rows = names.map((name, n) => fileRow(5000 + n, 2, name))
    const parts = async () => Number((await admin`SELECT count(*) AS count FROM total_parts`)[0].count)
    await using admin = new SQL({ url, max: 1 })
    const before = await parts()
    await one.transact(() => one.files.insert(rows))

    expect(await one.files.byIds(rows.map((row) => row.id))).toEqual(expect.arrayContaining(rows))
    expect((await parts()) - before).toBeLessThan(10)
    const wrong = [fileRow(6000, 3, 'fine'), fileRow(6001, 3, 'a\0b')]
    await expect(one.transact(() => one.files.insert(wrong))).rejects.toMatchObject({ reason: 'invalid' })
    expect(await one.files.byId(id(6000))).toBeUndefined()
  })

  test('is never compiled, which would take longer than it does', async () => {
    const pool = new Pool({ url, size: 1 })
    const { rows } = await pool.use((connection) => connection.query('SHOW jit'))
    pool.close()
    expect(rows).toEqual([['off']])
  })

  test('for texts with NUL or half of a surrogate pair finds nothing', async () => {
    const odd = [`${id(1)}\0`, '\0', '\\\0', '\\u0000', '\\\\u0000']
    expect(await one.files.byIds([...odd, '\ud800', 'a\udfff'])).toEqual([])
    for (const id of odd) expect(await one.files.byId(id)).toBeUndefined()
    expect(await one.files.byId('\ud800')).toBeUndefined()
  })

  test('that fails shows no value of a row', async () => {
    const row = {
      id: id(500),
      userId: id(999),
      name: 'secret name',
      keyHash: 'secret hash',
      scopes: [],
      createdAt: 1,
      usedAt: null,
      expiresAt: null,
      folderId: null,
    }
    const error: unknown = await one.keys
      .insert(row)
      .into(() => undefined)
      .then(undefined, (reason: unknown) => reason)
    expect(Bun.inspect(error)).not.toContain('secret')
    expect(String(error)).toContain('api_keys_user_id_users_id_fk')
  })
})

describe('a commit whose connection breaks', () => {
  const insert = (catalog: PostgresCatalog) =>
    catalog.transact(() => catalog.files.insert([fileRow(1000, 2, 'x')]))
  /** Commits a file through a proxy that cuts before `text`, and returns the error. */
  async function cutCommit(
    side: 'client' | 'server',
    text: string,
    meanwhile?: () => void,
  ): Promise<unknown> {
    const address = new URL(url)
    using proxy = await startCuttingProxy(Number(address.port))
    address.port = String(proxy.port)
    const node = await openNode(address.href, { pool: 1 })
    try {
      proxy.cutBefore(side, text, meanwhile)
      return await insert(node).catch((error: unknown) => error)
    } finally {
      expect(proxy.cuts()).toBe(1)
      node.close()
    }
  }

  test('succeeds when the server has committed', async () => {
    expect(await cutCommit('server', 'COMMIT\0')).toBeUndefined()
    expect(await one.files.byId(id(1000))).toBeDefined()
  })

  test('is refused as unavailable when the server has not, and can be repeated', async () => {
    expect(await cutCommit('client', 'COMMIT\0')).toMatchObject({ reason: 'unavailable' })
    expect(await one.files.byId(id(1000))).toBeUndefined()
    await insert(one)
  })

  test('is refused as unknown when the server was started again, which may give the id to another one', async () => {
    const restart = () => {
      server.stop('immediate')
      server.start()
    }
    expect(await cutCommit('client', 'COMMIT\0', restart)).toMatchObject({ reason: 'outcome-unknown' })
  })

  test('is refused as unknown when the id of the transaction did not arrive', async () => {
    const refusal = await cutCommit('client', 'SELECT pg_current_xact_id')
    expect(refusal).toMatchObject({ reason: 'outcome-unknown', headers: { 'Retry-After': '5' } })
    expect(refusal).toHaveProperty('cause', expect.any(UnknownCommit))
  })
})

describe('a server', () => {
  test('that was killed is unavailable, and found again when it is back', async () => {
    server.stop('immediate')
    await expect(one.folders.root().then()).rejects.toMatchObject({ reason: 'unavailable' })
    server.start()
    expect(await one.folders.root()).toBe(id(1))
    expect(await two.transact(() => two.folders.root())).toBe(id(1))
  })

  test('that was killed is unavailable to a snapshot that was open, and to a new one', async () => {
    const never = new AbortController().signal
    using snapshot = await one.readers.snapshot(never)
    server.stop('immediate')
    await expect(snapshot.folders.byId(id(1)).then()).rejects.toMatchObject({ reason: 'unavailable' })
    await expect(one.readers.snapshot(never)).rejects.toMatchObject({ reason: 'unavailable' })
    server.start()
    using later = await one.readers.snapshot(never)
    expect((await later.folders.byId(id(1)))?.id).toBe(id(1))
  })

  test('that hangs is unavailable within the deadline', async () => {
    const warm = await Promise.all([one.folders.root(), one.folders.root()])
    expect(warm).toHaveLength(2)
    server.hang()
    try {
      expect(await one.folders.root().then(undefined, (error: Refusal) => error.reason)).toBe('unavailable')
      expect(await one.transact(() => one.folders.root()).catch((error: Refusal) => error.reason)).toBe(
        'unavailable',
      )
    } finally {
      server.proceed()
    }
    await eventually(async () => (await one.folders.root().then(undefined, () => undefined)) === id(1))
  })

  test('is asked on a new connection after one did not respond', async () => {
    const pool = new Pool({ url, size: 2 })
    const pidOf = async (connection: Connection) =>
      Number((await connection.query('SELECT pg_backend_pid()')).rows[0]?.[0])
    const pids = await Promise.all([pool.use(pidOf), pool.use(pidOf)])
    expect(new Set(pids).size).toBe(2)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    try {
      const away = pool.use((connection) => connection.query('SELECT 1', [], 100))
      await expect(away).rejects.toMatchObject({ reason: 'unavailable' })
      expect(pids).not.toContain(await pool.use(pidOf))
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
      pool.close()
    }
  })

  test.each([
    ['does not respond', () => {}],
    ['closes them', (socket: Socket) => void socket.destroy()],
  ])('that accepts connections and %s is not asked again at once', async (_, respond) => {
    let connections = 0
    const silent = createServer((socket) => {
      connections += 1
      respond(socket)
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('No port is free')
    const pool = new Pool({ url: `postgres://holdfast@127.0.0.1:${address.port}/holdfast`, size: 2 })
    const ask = () => pool.use((connection) => connection.query('SELECT 1'))
    await expect(ask()).rejects.toMatchObject({ reason: 'unavailable' })
    const before = connections
    for (let times = 0; times < 3; times += 1)
      await expect(ask()).rejects.toMatchObject({ reason: 'unavailable' })
    expect(connections).toBe(before)
    pool.close()
    silent.close()
  })

  test('that is back is asked at once, although an attempt of before ends only now', async () => {
    const sockets: Socket[] = []
    const proxy = createServer((socket) => {
      sockets.push(socket)
      // The first one has no response.
      if (sockets.length === 1) return
      const forward = connect(Number(new URL(url).port), '127.0.0.1')
      socket.pipe(forward).pipe(socket)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const through = new URL(url)
    through.port = String((proxy.address() as AddressInfo).port)
    const pool = new Pool({ url: through.href, size: 2 })
    const late = pool.use((connection) => connection.query('SELECT 1'))
    await eventually(() => sockets.length === 1)
    const held = await pool.take()
    await expect(late).rejects.toMatchObject({ reason: 'unavailable' })

    expect((await pool.use((connection) => connection.query('SELECT 1'))).rows).toHaveLength(1)

    held.release()
    pool.close()
    proxy.close()
  })
})
