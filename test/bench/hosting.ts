import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnHoldfast } from '../support/process.ts'
import { openClient } from './client.ts'
import { residentBytes, watchMemory } from './memory.ts'
import { startNginx } from './nginx.ts'
import { type Comparison, GiB, KiB, type MemoryUse, MiB, type Report } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { openWorkspace, writePattern } from './workspace.ts'
import { runWrk, type Throughput } from './wrk.ts'

const FILES = {
  '1k.bin': KiB,
  '64k.bin': 64 * KiB,
  '100k.bin': 100 * KiB,
  '1m.bin': MiB,
  '100m.bin': 100 * MiB,
  '1g.bin': GiB,
}

interface Case {
  what: string
  file: keyof typeof FILES
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

const CASES: Case[] = [
  { what: '1 KiB', file: '1k.bin', by: 'requests', rounds: 5, seconds: 2, target: 0.6 },
  { what: '64 KiB', file: '64k.bin', by: 'requests', rounds: 3, seconds: 2 },
  { what: '100 KiB', file: '100k.bin', by: 'requests', rounds: 5, seconds: 2 },
  { what: '1 MiB', file: '1m.bin', by: 'bytes', rounds: 5, seconds: 2, target: 0.8 },
  { what: '100 MiB', file: '100m.bin', by: 'bytes', rounds: 5, seconds: 3, target: 0.8 },
  {
    what: '1 KiB, 304 by ETag',
    file: '1k.bin',
    by: 'requests',
    rounds: 3,
    seconds: 2,
    status: 304,
    headers: (etag) => ({ 'If-None-Match': etag }),
  },
  {
    what: '64 KiB of 1 GiB',
    file: '1g.bin',
    by: 'requests',
    rounds: 3,
    seconds: 2,
    status: 206,
    headers: () => ({ Range: inTheMiddle }),
  },
]

/** Public files served by Holdfast and by nginx from the same folder, in turns. */
export async function benchHosting(signal: AbortSignal): Promise<Report> {
  const wrk = findTool('wrk')
  if (!wrk) return { title: TITLE, peer: 'nginx', comparisons: [], memory: [], notes: [howToGet('wrk')] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  await storeFiles({ dataPath, folder: workspace.path, signal })

  // A new process, so that what uploads left in memory is not counted.
  await using holdfast = await spawnHoldfast({ dataPath })
  const binary = findTool('nginx')
  const uploads = join(dataPath, 'uploads')
  await using nginx = binary
    ? await startNginx({ binary, root: uploads, home: join(workspace.path, 'nginx') })
    : undefined
  const bench: Bench = {
    load: (load) => runWrk(wrk, load, signal),
    ours: `${holdfast.url}/api/hosting`,
    peer: nginx?.url,
    pid: holdfast.child.pid,
  }
  return await measureAll(bench, nginx ? [] : [howToGet('nginx')])
}

const TITLE = 'Hosting, wrk with 1 thread and 64 connections'

interface Bench {
  load: (load: { url: string; headers: Record<string, string>; seconds: number }) => Promise<Throughput>
  /** Where the files are, at Holdfast and at the peer, without a trailing slash. */
  ours: string
  peer: string | undefined
  pid: number
}

/** Uploads every file as a client would. */
async function storeFiles(options: { dataPath: string; folder: string; signal: AbortSignal }): Promise<void> {
  await using holdfast = await spawnHoldfast({ dataPath: options.dataPath })
  const client = await openClient(holdfast, options.signal)
  for (const [name, size] of Object.entries(FILES)) {
    const path = join(options.folder, name)
    writePattern(path, size)
    await client.upload(path)
    rmSync(path)
  }
}

async function measureAll(bench: Bench, notes: string[]): Promise<Report> {
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
  for (const entry of CASES) {
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
  const url = `${base}/${entry.file}`
  const headers = entry.headers?.(await etagOf(url)) ?? {}
  await assertStatus(url, headers, entry.status ?? 200)
  return async (notes) => {
    const found = await bench.load({ url, headers, seconds: entry.seconds })
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
