import { afterAll, beforeAll, expect, test } from 'bun:test'
import { apiOf } from '../support/api.ts'
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { type Account, type Inside, messageOf, register } from '../support/holdfast.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { Switch } from './faults/switch.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

/** Bytes before a pause of an upload: more than one part, so the store has some of them. */
const PART = 'x'.repeat(17 * 1024 ** 2)

let postgres: TestPostgres
let nodes: Nodes
/** The server that goes on. */
let other: Inside
let account: Account

beforeAll(async () => {
  postgres = await startPostgres()
  nodes = await prepareNodes(postgres)
  other = await nodes.start()
  account = await register(other)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  postgres[Symbol.dispose]()
})

const url = () => nodes.environment['DATABASE_URL'] ?? ''

const rowsOf = (text: string) => nodes.query(text)

/** Sends an upload of one file whose second half waits for `proceed`. */
function uploadInHalves(base: string, name: string) {
  const { promise: mayProceed, resolve: proceed } = Promise.withResolvers<void>()
  const boundary = 'boundary'
  async function* body() {
    yield `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${PART}`
    await mayProceed
    yield `the end\r\n--${boundary}--\r\n`
  }
  const headers = { ...account.withKey, 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  const response = fetch(`${base}/api/files`, { method: 'POST', headers, body: body() })
  return { response, proceed }
}

/** Waits until the store has a part of an upload. */
const isArriving = () =>
  eventually(() => [...nodes.store.uploads.values()].some(({ parts }) => parts.size > 0))

/** Returns the variable of a server whose way to the database is a proxy. */
function behind({ port }: { port: number }): { DATABASE_URL: string } {
  const address = new URL(url())
  address.port = String(port)
  return { DATABASE_URL: address.href }
}

/** Starts a server whose way to the database is a proxy. */
const spawnBehind = (proxy: CuttingProxy): Promise<HoldfastProcess> =>
  spawnHoldfast({ environment: { ...nodes.environment, ...behind(proxy) } })

/** Lets the leases of all servers end that do not renew them from now on. */
async function endLeases(): Promise<void> {
  await rowsOf("UPDATE nodes SET expires_at = now() - interval '1 second'")
  await other.server.deps.store.jobs.find(({ isEverywhere }) => isEverywhere)?.run()
}

/** Transactions that hold the tree of folders and run no statement. */
const HOLDERS = `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE relation = 'folders'::regclass AND mode = 'ExclusiveLock' AND state = 'idle in transaction'
    AND state_change < now() - interval '0.2 s'`

const objects = () => [...nodes.store.objects.keys()].filter((key) => key.includes('blobs/'))

test('what a killed server was receiving is removed by another', async () => {
  await using node = await spawnHoldfast({ environment: nodes.environment })
  const upload = uploadInHalves(node.url, 'killed.bin')
  await isArriving()
  node.child.kill('SIGKILL')
  await expect(upload.response).rejects.toThrow()
  upload.proceed()
  await other.server.deps.store.finishLeftovers()
  expect(await rowsOf('SELECT state FROM blobs')).toEqual([{ state: 'arriving' }])

  await endLeases()
  await other.server.deps.store.finishLeftovers()
  expect(await rowsOf('SELECT state FROM blobs')).toEqual([])
  expect(nodes.store.uploads.size).toBe(0)
  expect(objects()).toEqual([])
})

test('a server that was paused acknowledges nothing that another has removed', async () => {
  await using node = await spawnHoldfast({ environment: nodes.environment })
  const upload = uploadInHalves(node.url, 'paused.bin')
  await isArriving()
  node.child.kill('SIGSTOP')
  await endLeases()
  await other.server.deps.store.finishLeftovers()
  node.child.kill('SIGCONT')
  upload.proceed()

  const response = await upload.response
  expect([response.status, response.headers.has('Retry-After')]).toEqual([503, true])
  expect(await messageOf(response)).not.toContain('Internal')
  expect(await rowsOf('SELECT name FROM files')).toEqual([])
  await eventually(() => objects().length === 0)
  expect(nodes.store.uploads.size).toBe(0)
})

test('a server removes what it was receiving when the database went away, and nothing else', async () => {
  using network = await Switch.open(postgres.port)
  // A job by the clock would remove it before the other upload arrives.
  const node = await nodes.start({ environment: behind(network), runsJobs: false })
  const statesOf = async () =>
    (await rowsOf("SELECT state FROM blobs WHERE state <> 'kept' ORDER BY state")).map(({ state }) => state)
  const before = await statesOf()
  const interrupted = uploadInHalves(node.url, 'interrupted.bin')
  await eventually(async () => (await statesOf()).includes('arriving'))
  network.mode = 'refuse'
  interrupted.proceed()
  expect((await interrupted.response).status).toBe(503)
  network.mode = 'pass'
  await eventually(async () => (await node.fetch('/api/health')).status === 200)
  const beside = uploadInHalves(node.url, 'beside.bin')
  await eventually(async () => (await statesOf()).filter((state) => state === 'arriving').length === 2)

  await node.server.jobs.runAll()
  expect(await statesOf()).toEqual(['arriving', 'doomed', ...before])
  beside.proceed()
  expect((await beside.response).status).toBe(200)
  await node.stop()
})

test('a change is reported as possibly made when the database goes away right after its commit', async () => {
  using proxy = await startCuttingProxy(postgres.port)
  await using node = await spawnBehind(proxy)
  proxy.endAfter('insert into "files"', 'COMMIT\0')
  const body = buildArchive([{ path: 'imported.txt', content: 'text' }])
  const sent = { method: 'POST', headers: account.withKey, body }
  const response = await node.fetch('/api/folders/import?folder=imported', sent)

  expect(response.status).toBe(503)
  expect(await messageOf(response)).toContain('which may have been made')
  expect(await apiOf(other, account).hosted('imported/imported.txt')).toBe('text')
  const again = await apiOf(node, account).refusal('POST', '/folders', { folder: 'new' })
  expect(again).toEqual([503, 'The database cannot be reached, try again soon'])
  const page = await node.fetch('/s/AAAAAAAAAAAA', { headers: { Accept: 'text/html' } })
  expect([page.status, page.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(await page.text()).toContain('<h1>Not available right now</h1>')
})

test('a server that hangs during a folder move does not block the others', async () => {
  using proxy = await startCuttingProxy(postgres.port)
  await using node = await spawnBehind(proxy)
  const here = apiOf(other, account)
  const { id } = await here.createFolder('moving')
  proxy.hangBefore('update "folders"', 'COMMIT')
  const hanging = apiOf(node, account).send('PUT', '/folders', { id, name: 'moved' })
  await eventually(async () => (await rowsOf(HOLDERS)).length > 0)

  expect((await here.upload('beside.txt', 'text')).name).toBe('beside.txt')
  expect((await hanging).status).toBe(503)
  expect((await here.browse()).folders.map(({ name }) => name)).toContain('moving')
})

test('a start waits for the database, and requests get 503 with Retry-After', async () => {
  const later = await startPostgres()
  await using others = await prepareNodes(later)
  later.stop('fast')
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const starting = spawnHoldfast({ environment: { ...others.environment, PORT: String(port) } })
  const health = () => fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined)
  await eventually(async () => (await health()) !== undefined)
  const waiting = await health()
  expect([waiting?.status, waiting?.headers.get('Retry-After')]).toEqual([503, '5'])
  later.start()
  await using node = await starting
  expect((await health())?.status).toBe(200)

  later.stop('immediate')
  const session = () => fetch(`${node.url}/api/auth/get-session`)
  const away = await session()
  expect([away.status, away.headers.get('Retry-After')]).toEqual([503, '5'])
  later.start()
  await eventually(async () => (await session()).status === 200)
  later[Symbol.dispose]()
})
