import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnHoldfast } from '../support/process.ts'
import { startCaddy } from './caddy.ts'
import { openClient } from './client.ts'
import { residentBytes, watchMemory } from './memory.ts'
import { type PeerFiles, startNginx } from './nginx.ts'
import type { Peer } from './peer.ts'
import { plantGrove } from './plant.ts'
import { type Comparison, GiB, KiB, type MemoryUse, MiB, type Report } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { openWorkspace, writePattern } from './workspace.ts'
import { type Load, runWrk, type Throughput } from './wrk.ts'

const FILES = {
  '1k.bin': KiB,
  '16k.bin': 16 * KiB,
  '64k.bin': 64 * KiB,
  '100k.bin': 100 * KiB,
  '1m.bin': MiB,
  '100m.bin': 100 * MiB,
  '1g.bin': GiB,
}

/** Different files that are asked for in turn. */
const MANY = { folder: 'many', files: 1000, size: 16 * KiB }

interface Case {
  what: string
  path: keyof typeof FILES | 'many/0.txt'
  /** Large bodies are compared by bytes: few of them end within a run. */
  by: 'requests' | 'bytes'
  rounds: number
  seconds: number
  target?: number
  status?: number
  /** Request headers, given the file's entity tag at the server that is asked. */
  headers?: (etag: string) => Record<string, string>
}

const inTheMiddle = `bytes=${GiB / 2}-${GiB / 2 + 64 * KiB - 1}`

const SMALL: Case[] = [
  { what: '1 KiB', path: '1k.bin', by: 'requests', rounds: 5, seconds: 2, target: 1 },
  { what: '16 KiB', path: '16k.bin', by: 'requests', rounds: 3, seconds: 2, target: 1 },
  { what: '64 KiB', path: '64k.bin', by: 'requests', rounds: 3, seconds: 2, target: 1 },
  { what: '100 KiB', path: '100k.bin', by: 'requests', rounds: 3, seconds: 2 },
]

const CASES: Case[] = [
  ...SMALL,
  {
    what: '1,000 files of 16 KiB in turn',
    path: 'many/0.txt',
    by: 'requests',
    rounds: 3,
    seconds: 2,
    target: 0.8,
  },
  { what: '1 MiB', path: '1m.bin', by: 'bytes', rounds: 5, seconds: 2, target: 0.95 },
  { what: '100 MiB', path: '100m.bin', by: 'bytes', rounds: 5, seconds: 3, target: 0.95 },
  {
    what: '1 KiB, 304 by ETag',
    path: '1k.bin',
    by: 'requests',
    rounds: 5,
    seconds: 2,
    target: 1,
    status: 304,
    headers: (etag) => ({ 'If-None-Match': etag }),
  },
  {
    what: '64 KiB of 1 GiB',
    path: '1g.bin',
    by: 'requests',
    rounds: 5,
    seconds: 2,
    target: 0.8,
    status: 206,
    headers: () => ({ Range: inTheMiddle }),
  },
]

/** Small files beside Caddy, which is slower than nginx. */
const BESIDE_CADDY = SMALL.map((entry) => ({ ...entry, rounds: 3, target: 1.5 }))

interface Server {
  tool: 'nginx' | 'caddy'
  start: (files: PeerFiles) => Promise<Peer>
}

/** Public files served by Holdfast and by nginx from the same folder, in turns. */
export const benchHosting = (signal: AbortSignal): Promise<Report> =>
  bench({ tool: 'nginx', start: startNginx }, CASES, signal)

/** As `benchHosting`, beside Caddy. */
export const benchCaddy = (signal: AbortSignal): Promise<Report> =>
  bench({ tool: 'caddy', start: startCaddy }, BESIDE_CADDY, signal)

async function bench(server: Server, cases: readonly Case[], signal: AbortSignal): Promise<Report> {
  const wrk = findTool('wrk')
  if (!wrk) return { title: TITLE, peer: server.tool, comparisons: [], memory: [], notes: [howToGet('wrk')] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  await storeFiles({ dataPath, folder: workspace.path, signal, cases })
  plantGrove(dataPath, MANY, Date.now())

  // A new process, so that what uploads left in memory is not counted. The limit counts, but never refuses.
  const environment = { RATE_LIMIT_HOSTING: '1000000000' }
  await using holdfast = await spawnHoldfast({ dataPath, environment })
  const binary = findTool(server.tool)
  const home = join(workspace.path, 'peer')
  await using peer = binary
    ? await server.start({ binary, root: join(dataPath, 'uploads'), home })
    : undefined
  const running: Bench = {
    load: (load) => runWrk(wrk, load, signal),
    ours: `${holdfast.url}/api/hosting`,
    peer: peer?.url,
    pid: holdfast.child.pid,
  }
  const notes = peer ? [] : [howToGet(server.tool)]
  return { ...(await measureAll(running, cases, notes)), peer: server.tool }
}

const TITLE = 'Hosting, wrk with 1 thread and 64 connections'

interface Bench {
  load: (load: Load) => Promise<Throughput>
  /** Where the files are, at Holdfast and at the peer, without a trailing slash. */
  ours: string
  peer: string | undefined
  pid: number
}

/** Uploads every file as a client would. */
async function storeFiles(options: {
  dataPath: string
  folder: string
  signal: AbortSignal
  cases: readonly Case[]
}): Promise<void> {
  await using holdfast = await spawnHoldfast({ dataPath: options.dataPath })
  const client = await openClient(holdfast, options.signal)
  for (const [name, size] of Object.entries(FILES)) {
    if (!options.cases.some(({ path }) => path === name)) continue
    const path = join(options.folder, name)
    writePattern(path, size)
    await client.upload(path)
    rmSync(path)
  }
}

async function measureAll(bench: Bench, cases: readonly Case[], notes: string[]): Promise<Report> {
  const { pid } = bench
  const comparisons: Comparison[] = []
  const memory: MemoryUse[] = []
  const idle = residentBytes(pid, 'VmRSS')
  memory.push(
    await watchMemory({ pid, what: 'warm-up, from idle', before: idle }, () =>
      bench.load({ url: `${bench.ours}/1k.bin`, headers: {}, seconds: 3 }),
    ),
  )
  const before = residentBytes(pid, 'VmRSS')
  for (const entry of cases) {
    console.error(`hosting: ${entry.what}`)
    const use = await watchMemory({ pid, what: entry.what, before }, async () => {
      comparisons.push(await measure(bench, entry, notes))
    })
    memory.push(use)
  }
  return { title: TITLE, peer: 'nginx', comparisons, memory, notes }
}

/** Between two loads, for connections that were cut to be closed on both ends. */
const PAUSE_MS = 100

async function measure(bench: Bench, entry: Case, notes: string[]): Promise<Comparison> {
  const ours = await createRound(bench, bench.ours, entry)
  const peer = bench.peer === undefined ? undefined : await createRound(bench, bench.peer, entry)
  const comparison = { what: entry.what, ours: [] as number[], peer: [] as number[] }
  for (let round = 0; round < entry.rounds; round += 1) {
    comparison.ours.push(await ours(notes))
    if (peer) comparison.peer.push(await peer(notes))
  }
  return {
    ...comparison,
    ...(entry.target === undefined ? {} : { target: entry.target }),
    show: entry.by === 'requests' ? showRequests : showBytes,
  }
}

/** Makes the function that measures one server once, after a look whether it answers as it should. */
async function createRound(
  bench: Bench,
  base: string,
  entry: Case,
): Promise<(notes: string[]) => Promise<number>> {
  const url = `${base}/${entry.path}`
  const headers = entry.headers?.(await etagOf(url)) ?? {}
  await assertStatus(url, headers, entry.status ?? 200)
  return async (notes) => {
    const files = entry.path.startsWith(MANY.folder) ? { files: MANY.files } : {}
    const found = await bench.load({ url, headers, seconds: entry.seconds, ...files })
    await Bun.sleep(PAUSE_MS)
    const { refusals, socketErrors } = found
    if (refusals + socketErrors > 0) {
      notes.push(`${entry.what} at ${url}: ${refusals} refusals, ${socketErrors} socket errors`)
    }
    return entry.by === 'requests' ? found.requestsPerSecond : found.bytesPerSecond
  }
}

async function etagOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { method: 'HEAD' })
  return headers.get('etag') ?? ''
}

async function assertStatus(url: string, headers: Record<string, string>, expected: number): Promise<void> {
  const response = await fetch(url, { headers })
  await response.body?.cancel()
  if (response.status !== expected) throw new Error(`${url} answers ${response.status}, not ${expected}`)
}

const showRequests = (rate: number) => `${Math.round(rate)} req/s`
const showBytes = (rate: number) => `${(rate / MiB).toFixed(0)} MiB/s`
