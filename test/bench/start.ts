import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, type Part, prepareData, settle } from './bench.ts'
import { FILE_COUNT, plantForest } from './forest.ts'
import { residentBytes } from './memory.ts'
import { MB, median, type Row, showMB, showMs, showRate } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { runWrk } from './wrk.ts'

const ROUNDS = 3
/** Time from a start to the measurement of its memory, in milliseconds. */
const REST_MS = 500
const BINARY = join(import.meta.dir, '../../dist/holdfast')
const MILLION = FILE_COUNT.toLocaleString('en')

/** Start time and idle memory without files and with a million, and lists of these. */
export const start: Part = {
  measure: async (bench) => [...(await measureEmpty(bench)), ...(await measureMillion(bench))],
}

async function measureEmpty(bench: Bench): Promise<Row[]> {
  const starts = (folder: string) => ({
    pathOf: (round: number) => join(bench.folder, `${folder}-${round}`),
    limits: { ms: 300, bytes: 80 * MB },
  })
  const rows = await measureStart(bench, { name: 'without files', ...starts('source') })
  if (!existsSync(BINARY)) {
    bench.note('dist/holdfast is missing: bun run build')
    return rows
  }
  const ofBinary = { name: 'without files, of the binary', binary: BINARY, ...starts('binary') }
  return [...rows, ...(await measureStart(bench, ofBinary))]
}

async function measureMillion(bench: Bench): Promise<Row[]> {
  const dataPath = join(bench.folder, 'forest')
  const withKey = await prepareData(bench, dataPath)
  plantForest(dataPath, Date.now())
  await settle(bench.folder, bench.signal)
  const rows = await measureStart(bench, {
    name: `with ${MILLION} files`,
    pathOf: () => dataPath,
    limits: { ms: 1000, bytes: 150 * MB },
  })
  return [...rows, ...(await measureLists({ ...bench, withKey }, dataPath))]
}

interface Start {
  name: string
  pathOf: (round: number) => string
  limits: { ms: number; bytes: number }
  binary?: string
}

async function measureStart(bench: Bench, { name, pathOf, limits, binary }: Start): Promise<Row[]> {
  const times: number[] = []
  const sizes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now()
    await using holdfast = await bench.spawn(pathOf(round), binary)
    await (await fetch(`${holdfast.url}/api/health`)).arrayBuffer()
    times.push(performance.now() - begin)
    await Bun.sleep(REST_MS)
    sizes.push(residentBytes(holdfast.child.pid, 'VmRSS'))
  }
  return [
    { what: `start to first answer ${name}`, value: median(times), limit: limits.ms, show: showMs },
    { what: `memory at rest ${name}`, value: median(sizes), limit: limits.bytes, show: showMB },
  ]
}

async function measureLists({ spawn, withKey, signal, note }: Bench, dataPath: string): Promise<Row[]> {
  const wrk = findTool('wrk')
  if (!wrk) {
    note(howToGet('wrk'))
    return []
  }
  await using holdfast = await spawn(dataPath)
  const url = `${holdfast.url}/api/files?limit=100`
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = await runWrk(wrk, { url, headers: withKey, seconds: 2 }, signal)
    if (found.refusals > 0) throw new Error(`${found.refusals} lists were refused`)
    rates.push(found.requestsPerSecond)
  }
  const what = `lists of 100 among ${MILLION} files`
  return [{ what, value: median(rates), limit: 3000, isLeast: true, show: showRate }]
}
