import { join } from 'node:path'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { residentBytes, watchMemory } from './memory.ts'
import { type Grove, openForPlanting, plantGrove, rootOf } from './plant.ts'
import { type Comparison, KiB, type Limit, type MemoryUse, MiB, median, type Report } from './report.ts'
import { findTool, howToGet, run } from './tools.ts'
import { openWorkspace, writePattern } from './workspace.ts'

const CASES: (Grove & { what: string })[] = [
  { what: '1,000 files of 1 MiB', folder: 'large', files: 1000, size: MiB },
  { what: '100,000 files of 4 KiB', folder: 'small', files: 100_000, size: 4 * KiB },
]
const ROUNDS = 5
const TITLE = 'Archives beside one file of the same size, by one client'

/** Archives of many files beside one file of the same size from the same server, in turns. */
export async function benchZip(signal: AbortSignal): Promise<Report> {
  const report = { title: TITLE, peer: 'one file', comparisons: [], limits: [], memory: [], notes: [] }
  const curl = findTool('curl')
  if (!curl) return { ...report, notes: [howToGet('curl')] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const key = await register(dataPath)
  for (const entry of CASES) {
    console.error(`zip: storing ${entry.what}`)
    store(dataPath, entry)
    signal.throwIfAborted()
  }
  await using holdfast = await spawnHoldfast({ dataPath })
  const bench: Bench = { holdfast, download: (path) => download({ curl, key, holdfast, path, signal }) }
  const found = { comparisons: [] as Comparison[], limits: [] as Limit[], memory: [] as MemoryUse[] }
  await bench.download('/api/hosting/large.bin')
  for (const entry of CASES) await measure(bench, entry, found)
  return { ...report, ...found }
}

async function register(dataPath: string): Promise<string> {
  await using holdfast = await spawnHoldfast({ dataPath })
  const { withKey } = await registerWith(holdfast)
  return withKey['API-Key']
}

/** Puts the files of a case and one file of their size into a data folder that no server has open. */
function store(dataPath: string, grove: Grove): void {
  const now = Date.now()
  plantGrove(dataPath, grove, now)
  const [name, size] = [`${grove.folder}.bin`, grove.size * grove.files]
  writePattern(join(dataPath, 'uploads', name), size)
  using sqlite = openForPlanting(dataPath)
  sqlite
    .query(`INSERT INTO files VALUES (?, ?, ?, 'text/plain', ?, 0, '', 'public', NULL, ?, ?)`)
    .run(Bun.randomUUIDv7(), rootOf(sqlite), name, size, now, now)
}

interface Bench {
  holdfast: HoldfastProcess
  download: (path: string) => Promise<Download>
}

interface Download {
  bytesPerSecond: number
  firstByteMs: number
}

interface DownloadOptions {
  curl: string
  key: string
  holdfast: HoldfastProcess
  path: string
  signal: AbortSignal
}

/** Downloads into nothing, from a process of its own. */
async function download({ curl, key, holdfast, path, signal }: DownloadOptions): Promise<Download> {
  const figures = '%{size_download} %{time_total} %{time_starttransfer}'
  const command = [curl, '-sS', '--fail', '-o', '/dev/null', '-w', figures, '-H', `API-Key: ${key}`]
  const output = await run([...command, `${holdfast.url}${path}`], signal)
  const [bytes = 0, seconds = 0, firstByte = 0] = output.split(' ').map(Number)
  return { bytesPerSecond: bytes / seconds, firstByteMs: firstByte * 1000 }
}

interface Found {
  comparisons: Comparison[]
  limits: Limit[]
  memory: MemoryUse[]
}

async function measure(
  { holdfast, download }: Bench,
  { what, folder }: (typeof CASES)[number],
  found: Found,
): Promise<void> {
  const pid = holdfast.child.pid
  const ours: number[] = []
  const peer: number[] = []
  const firstBytes: number[] = []
  const work = async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      peer.push((await download(`/api/hosting/${folder}.bin`)).bytesPerSecond)
      const archive = await download(`/api/folders/download?key=${folder}`)
      ours.push(archive.bytesPerSecond)
      firstBytes.push(archive.firstByteMs)
    }
  }
  found.memory.push(await watchMemory({ pid, what, before: residentBytes(pid, 'VmRSS') }, work))
  const show = (rate: number) => `${(rate / MiB).toFixed(0)} MiB/s`
  found.comparisons.push({ what, ours, peer, target: 0.8, show })
  const showMs = (value: number) => `${value.toFixed(1)} ms`
  found.limits.push({ what: `first byte, ${what}`, value: median(firstBytes), limit: 20, show: showMs })
}
