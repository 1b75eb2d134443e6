import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { openForPlanting, rootOf } from '../bench/plant.ts'
import { type Limit, showMs } from '../bench/report.ts'
import { insertFiles } from '../support/file-rows.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { waitsDuring } from './server.ts'

/** Longest wait of other requests, in milliseconds. */
const LIMIT_MS = 50

interface Caller {
  holdfast: HoldfastProcess
  headers: Record<string, string>
}

interface LongWork {
  what: string
  /** Adds rows to the database while no server has it open. */
  plant?: (sqlite: ReturnType<typeof openForPlanting>, dataPath: string) => void
  work: (caller: Caller) => Promise<unknown>
}

const counted = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

const call = async ({ holdfast, headers }: Caller, method: string, path: string, body?: unknown) => {
  const init = body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }
  const response = await fetch(`${holdfast.url}/api${path}`, { method, headers, ...init })
  const bytes = await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${Buffer.from(bytes)}`)
}

function plantFolders(count: number): NonNullable<LongWork['plant']> {
  return (sqlite, dataPath) => {
    mkdirSync(join(dataPath, 'uploads', 'wide'))
    sqlite.run(
      `INSERT INTO folders (id, parent_id, name, created_at, updated_at) VALUES ('wide', '${rootOf(sqlite)}', 'wide', 0, 0)`,
    )
    sqlite.run(
      `${counted(count)} INSERT INTO folders (id, parent_id, name, created_at, updated_at) SELECT 'w' || i, 'wide', 'folder-' || i, 0, 0 FROM n`,
    )
  }
}

const WORKS: LongWork[] = [
  {
    what: 'an account with 500,000 entries is deleted',
    plant: (sqlite) => {
      sqlite.run(
        `INSERT INTO users (id, name, email, password_hash, role, custom_scopes, disabled, created_at, updated_at)
           VALUES ('busy', 'Busy', 'busy@example.com', '', 'viewer', '[]', 0, 0, 0)`,
      )
      sqlite.run(
        `${counted(500_000)} INSERT INTO activities SELECT lower(hex(randomblob(16))), 'busy', 'upload.succeeded', 'a', NULL, i FROM n`,
      )
    },
    work: (caller) => call(caller, 'DELETE', '/users', { id: 'busy' }),
  },
  {
    what: '9,000 files are imported',
    work: (caller) => {
      const names = Array.from({ length: 9000 }, (_, n) => `site/${n % 90}/${n}.txt`)
      const site = zipSync(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])))
      return call(caller, 'POST', '/folders/import', site)
    },
  },
  {
    what: '50,000 folders are listed',
    plant: plantFolders(50_000),
    work: (caller) => call(caller, 'GET', '/folders?key=wide&limit=10'),
  },
  {
    what: 'a folder of 50,000 files is listed by size',
    plant: (sqlite, dataPath) => {
      plantFolders(1)(sqlite, dataPath)
      sqlite.run(
        `${counted(50_000)} ${insertFiles(
          {
            ...{ id: "'f' || i", folder_id: "'wide'", name: "'f' || i", visibility: "'public'" },
            ...{ size: '(i * 7919) % 100000', created_at: 'i', updated_at: '(i * 7907) % 100000' },
          },
          'n',
        )}`,
      )
    },
    work: async (caller) => {
      for (const orderBy of ['size', 'updatedAt'])
        for (const orderDirection of ['asc', 'desc'])
          await call(
            caller,
            'GET',
            `/folders?key=wide&limit=100&orderBy=${orderBy}&orderDirection=${orderDirection}`,
          )
    },
  },
  {
    what: 'the first of 120,000 folders is renamed',
    plant: plantFolders(120_000),
    work: (caller) => call(caller, 'PUT', '/folders', { id: 'wide', name: 'wider' }),
  },
  {
    what: 'an account has 10,000 sessions',
    plant: (sqlite) => {
      sqlite.run(
        `${counted(10_000)} INSERT INTO sessions (id, user_id, token_hash, ip_address, user_agent, created_at, used_at, expires_at) SELECT 's' || i, (SELECT id FROM users LIMIT 1), 't' || i, '::1', 'x', 0, i, 9e14 FROM n`,
      )
    },
    work: async (caller) => {
      await call(caller, 'GET', '/me/sessions')
      await call(caller, 'DELETE', '/me/sessions', { id: 's1' })
      await call(caller, 'DELETE', '/me/sessions', { others: true })
    },
  },
]

/** Measures the longest wait of other requests while the server changes very many rows. */
export async function loadLongWork(program?: string): Promise<Limit[]> {
  const limits: Limit[] = []
  for (const { what, plant, work } of WORKS) {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    try {
      const cookie = await prepare(dataPath, program, plant)
      await using holdfast = await spawnHoldfast({ dataPath, ...(program && { program }) })
      const caller = { holdfast, headers: { Cookie: cookie, Origin: 'http://localhost:0' } }
      const waited = await waitsDuring(holdfast, '/api/health', () => work(caller))
      limits.push({
        what: `health while ${what}, longest`,
        value: Math.max(...waited),
        limit: LIMIT_MS,
        isTime: true,
        show: showMs,
      })
    } finally {
      rmSync(dataPath, { recursive: true, force: true })
    }
  }
  return limits
}

async function prepare(
  dataPath: string,
  program: string | undefined,
  plant: LongWork['plant'],
): Promise<string> {
  const holdfast = await spawnHoldfast({ dataPath, ...(program && { program }) })
  const { cookie } = await registerWith(holdfast)
  holdfast.child.kill('SIGTERM')
  await holdfast.child.exited
  if (plant) {
    using sqlite = openForPlanting(dataPath)
    sqlite.transaction(() => plant(sqlite, dataPath))()
  }
  return cookie
}
