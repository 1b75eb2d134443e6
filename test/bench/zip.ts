import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, inTurns, type Part } from './bench.ts'
import { GiB, growthOfMemory, MiB, median, type Row, showMs, showThroughput } from './report.ts'
import { findTool, howToGet, run } from './tools.ts'

const ROUNDS = 5

const SINGLE = { folder: '1g', files: 1, size: GiB }

interface Case {
  what: string
  grove: { folder: string; files: number; size: number }
  target: number
}

const CASES: Case[] = [
  {
    what: 'zip of 1 GiB in 1,024 files',
    grove: { folder: '1024-of-1m', files: 1024, size: MiB },
    target: 0.9,
  },
  {
    what: 'zip of 1 GiB in 100,000 files',
    grove: { folder: '100000-of-10k', files: 100_000, size: Math.floor(GiB / 100_000) },
    target: 0.8,
  },
]

/** Archives of many files compared with one file of the same size, from the same server to one client. */
export const zip: Part = {
  groves: [...CASES.map(({ grove }) => grove), SINGLE],
  measure: async (bench) => {
    const curl = findTool('curl')
    if (!curl) {
      bench.note(howToGet('curl'))
      return []
    }
    const rows: Row[] = []
    for (const entry of CASES) rows.push(...(await measure(bench, curl, entry)))
    return rows
  },
}

async function measure(bench: Bench, curl: string, { what, grove, target }: Case): Promise<Row[]> {
  const firstBytes: number[] = []
  const growths: number[] = []
  const ours = async () => {
    let rate = 0
    const load = async () => {
      const archive = await download(bench, curl, `/api/folders/download?key=${grove.folder}`)
      firstBytes.push(archive.firstByteMs)
      rate = archive.bytesPerSecond
    }
    growths.push(await bench.growthDuring(load))
    return rate
  }
  const single = async () =>
    (await download(bench, curl, `/api/hosting/${SINGLE.folder}/0.bin`)).bytesPerSecond
  const reading = async () => readAll(join(bench.holdfast.dataPath, 'uploads', grove.folder))
  const [own = [], one = [], read = []] = await inTurns(ROUNDS, [ours, single, reading])
  const comparison = { what, ours: own, show: showThroughput }
  return [
    { ...comparison, against: 'one file', peer: one, target },
    { ...comparison, against: 'reading the files', peer: read },
    { what: `${what}, first byte`, value: median(firstBytes), limit: 20, show: showMs },
    growthOfMemory(`${what}, growth of memory`, Math.max(...growths)),
  ]
}

/** Stats and reads each file of a folder. Returns the bytes a second. */
function readAll(folder: string): number {
  const buffer = new Uint8Array(MiB)
  const begin = performance.now()
  let total = 0
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { size } = lstatSync(path)
    const fd = openSync(path, 'r')
    total += readSync(fd, buffer, 0, size, 0)
    closeSync(fd)
  }
  return (total * 1000) / (performance.now() - begin)
}

interface Download {
  bytesPerSecond: number
  firstByteMs: number
}

/** Downloads to `/dev/null` in a separate process. */
async function download({ holdfast, withKey, signal }: Bench, curl: string, path: string): Promise<Download> {
  const figures = '%{size_download} %{time_total} %{time_starttransfer}'
  const key = `API-Key: ${withKey['API-Key']}`
  const command = [curl, '-sS', '--fail', '-o', '/dev/null', '-w', figures, '-H', key]
  const output = await run([...command, `${holdfast.url}${path}`], signal)
  const [bytes = 0, seconds = 0, firstByte = 0] = output.split(' ').map(Number)
  return { bytesPerSecond: bytes / seconds, firstByteMs: firstByte * 1000 }
}
