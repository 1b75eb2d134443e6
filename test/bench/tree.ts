import { join } from 'node:path'
import { openCatalog } from '../../src/catalog/open.ts'
import { findFileByKey } from '../../src/files/service.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { FILE_COUNT, FOREST, fileName, folderName, plantForest } from './forest.ts'
import { residentBytes, watchMemory } from './memory.ts'
import { type Limit, type MemoryUse, MiB, median, type Report } from './report.ts'
import { watchStalls } from './stalls.ts'
import { openWorkspace } from './workspace.ts'

const ROUNDS = 30
const ms = (value: number) => `${value.toFixed(value < 1 ? 3 : 1)} ms`

/** A catalog of a million files in 20,000 folders: look-ups, lists, changes, start and memory. */
export async function benchTree(signal: AbortSignal): Promise<Report> {
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const headers = await register(dataPath)
  console.error('tree: planting')
  plantForest(dataPath, Date.now())
  signal.throwIfAborted()
  const limits: Limit[] = [lookUp(dataPath)]
  const memory: MemoryUse[] = []

  const begin = performance.now()
  await using holdfast = await spawnHoldfast({ dataPath })
  await (await holdfast.fetch('/api/health')).arrayBuffer()
  limits.push({ what: 'start to first answer', value: performance.now() - begin, limit: 1000, show: ms })
  const bench: Bench = { holdfast, headers, signal }
  const pid = holdfast.child.pid
  limits.push(await measureRest(pid))
  for (const order of ['createdAt', 'updatedAt', 'name', 'size']) {
    for (const direction of ['ASC', 'DESC']) limits.push(await list(bench, order, direction))
  }
  limits.push(await stats(bench))
  limits.push(await rename(bench))
  const before = residentBytes(pid, 'VmRSS')
  memory.push(
    await watchMemory({ pid, what: 'list of all', before }, async () =>
      limits.push(...(await listAll(bench))),
    ),
  )
  memory.push(
    await watchMemory({ pid, what: 'bulk visibility', before }, async () =>
      limits.push(...(await hide(bench))),
    ),
  )
  return { title: TITLE, peer: '', comparisons: [], limits, memory, notes: [] }
}

const TITLE = `A tree of ${FILE_COUNT.toLocaleString('en')} files in ${(FOREST.top * FOREST.inner).toLocaleString('en')} folders`

interface Bench {
  holdfast: HoldfastProcess
  headers: { 'API-Key': string }
  signal: AbortSignal
}

async function register(dataPath: string): Promise<{ 'API-Key': string }> {
  await using holdfast = await spawnHoldfast({ dataPath })
  const { withKey } = await registerWith(holdfast)
  return withKey
}

/** Median microseconds of finding a file by its key, in the catalog itself. */
function lookUp(dataPath: string): Limit {
  const onUnknownOutcome = (error: unknown) => {
    throw error
  }
  const catalog = openCatalog({ path: join(dataPath, 'db', 'holdfast.sqlite'), onUnknownOutcome })
  const samples: number[] = []
  for (let round = 0; round < 20_000; round += 1) {
    const [top, inner, file] = [
      (round * 7) % FOREST.top,
      (round * 13) % FOREST.inner,
      round % FOREST.filesInFolder,
    ]
    const key = `forest/${folderName(top)}/${folderName(inner)}/${fileName(file)}`
    const begin = performance.now()
    if (!findFileByKey({ catalog }, key)) throw new Error(`${key} was not found`)
    samples.push((performance.now() - begin) * 1000)
  }
  catalog.close()
  return {
    what: 'look-up by key',
    value: median(samples),
    limit: 50,
    show: (value) => `${value.toFixed(1)} µs`,
  }
}

async function measureRest(pid: number): Promise<Limit> {
  await Bun.sleep(500)
  const value = residentBytes(pid, 'VmRSS') / MiB
  return { what: 'memory at rest', value, limit: 150, show: (value) => `${value.toFixed(0)} MiB` }
}

async function send<Data>(
  { holdfast, headers, signal }: Bench,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await holdfast.fetch(`/api${path}`, {
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data, error } = (await response.json()) as { data: Data; error: { message: string } | null }
  if (error) throw new Error(`${method} ${path}: ${error.message}`)
  return data
}

/** Median milliseconds of `work`, the answer included. */
async function medianMs(work: (round: number) => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now()
    await work(round)
    samples.push(performance.now() - begin)
  }
  return median(samples)
}

async function list(bench: Bench, order: string, direction: string): Promise<Limit> {
  const path = `/files?limit=100&orderBy=${order}&orderDirection=${direction}`
  const value = await medianMs(() => send(bench, 'GET', path))
  return { what: `list of 100 by ${order} ${direction}`, value, limit: 5, show: ms }
}

async function stats(bench: Bench): Promise<Limit> {
  return { what: 'stats', value: await medianMs(() => send(bench, 'GET', '/stats')), limit: 20, show: ms }
}

/** Renames the folder that holds everything, and looks whether the new key is there at once. */
async function rename(bench: Bench): Promise<Limit> {
  const { folder } = await send<{ folder: { id: string } }>(bench, 'POST', '/folders', { folder: 'other' })
  await send(bench, 'DELETE', '/folders', { id: folder.id })
  const { folders } = await send<{ folders: { id: string; name: string }[] }>(
    bench,
    'GET',
    '/folders?limit=0',
  )
  const id = folders.find(({ name }) => name === 'forest')?.id
  const value = await medianMs(async (round) => {
    await send(bench, 'PUT', '/folders', { id, name: round % 2 === 0 ? 'renamed' : 'forest' })
  })
  await send(bench, 'GET', `/files?key=forest/${folderName(1)}/${folderName(2)}/${fileName(3)}`)
  return { what: 'rename above everything', value, limit: 20, show: ms }
}

async function listAll(bench: Bench): Promise<Limit[]> {
  const { longestMs, value } = await watchStalls(`${bench.holdfast.url}/api/health`, async () => {
    const begin = performance.now()
    const response = await bench.holdfast.fetch('/api/files', {
      headers: bench.headers,
      signal: bench.signal,
    })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.length
    return { seconds: (performance.now() - begin) / 1000, bytes }
  })
  return [
    { what: 'list of all, s', value: value.seconds, show: (value) => `${value.toFixed(1)} s` },
    { what: 'longest wait of others meanwhile', value: longestMs, limit: 50, show: ms },
  ]
}

async function hide(bench: Bench): Promise<Limit[]> {
  const { folders } = await send<{ folders: { parentId: string }[] }>(bench, 'GET', '/folders?limit=0')
  const id = folders[0]?.parentId
  const { longestMs, value } = await watchStalls(`${bench.holdfast.url}/api/health`, async () => {
    const begin = performance.now()
    await send(bench, 'PUT', '/folders', { id, visibility: 'private' })
    return (performance.now() - begin) / 1000
  })
  return [
    { what: 'making everything private', value, show: (value) => `${value.toFixed(1)} s` },
    { what: 'longest wait of others meanwhile', value: longestMs, limit: 50, show: ms },
  ]
}
