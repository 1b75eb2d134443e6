import { join } from 'node:path'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { growthDuring, residentBytes } from './memory.ts'
import { type Grove, plantGrove } from './plant.ts'
import type { Row } from './report.ts'
import { run } from './tools.ts'
import { openWorkspace } from './workspace.ts'

/** One part of the table. */
export interface Part {
  /** What it needs in the data folder of the server; what several need is there once. */
  groves?: readonly Grove[]
  /** Measures until it is done or the bench's signal ends it. */
  measure: (bench: Bench) => Promise<Row[]>
}

/** What all parts share: one server that has their groves, and a folder for what else they write. */
export interface Bench {
  holdfast: HoldfastProcess
  withKey: { 'API-Key': string }
  /** On the disk of the server's data. */
  folder: string
  signal: AbortSignal
  /** Runs one more server; how much memory it took at most is kept as the first one's is. */
  spawn: (dataPath: string, binary?: string) => Promise<HoldfastProcess>
  /** Does what loads the first server, and says by how many bytes its memory grew at most meanwhile. */
  growthDuring: (work: () => Promise<unknown>) => Promise<number>
  note: (line: string) => void
}

export interface Found {
  rows: Row[]
  notes: string[]
  /** Bytes that were resident at most in each server that has ended. */
  peaks: number[]
}

/** Everything is counted and limited, but nothing is refused. */
const ENVIRONMENT = {
  RATE_LIMIT_API: '1000000000',
  RATE_LIMIT_HOSTING: '1000000000',
  RATE_LIMIT_UPLOADS: '1000000000',
  MAX_FILES_PER_REQUEST: '1000',
}

/** Measures the parts one after the other. Whatever happens, it leaves nothing behind. */
export async function measureParts(parts: ReadonlyMap<string, Part>, signal: AbortSignal): Promise<Found> {
  const found: Found = { rows: [], notes: [], peaks: [] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const spawn = (dataPath: string, binary?: string) => spawnWatched(dataPath, found.peaks, binary)
  const withKey = await prepareData({ spawn }, dataPath)
  for (const grove of grovesOf(parts)) plantGrove(dataPath, grove, Date.now())
  await settle(workspace.path, signal)
  // A new process, so that what registering left in memory is not counted.
  await using holdfast = await spawn(dataPath)
  const note = (line: string) => found.notes.includes(line) || found.notes.push(line)
  const ofFirst = (work: () => Promise<unknown>) => measureGrowth(holdfast, found.peaks, work)
  for (const [name, part] of parts) {
    const begin = performance.now()
    found.rows.push(
      ...(await part.measure({
        holdfast,
        withKey,
        folder: workspace.path,
        signal,
        spawn,
        growthDuring: ofFirst,
        note,
      })),
    )
    console.error(`${name}: ${((performance.now() - begin) / 1000).toFixed(0)} s`)
  }
  return found
}

async function spawnWatched(dataPath: string, peaks: number[], binary?: string): Promise<HoldfastProcess> {
  const holdfast = await spawnHoldfast({ dataPath, environment: ENVIRONMENT, ...(binary && { binary }) })
  const stop = () => {
    peaks.push(residentBytes(holdfast.child.pid, 'VmHWM'))
    return holdfast[Symbol.asyncDispose]()
  }
  return { ...holdfast, [Symbol.asyncDispose]: stop }
}

/** The measuring begins the process's high-water mark anew, so the one so far is added to `peaks`. */
async function measureGrowth({ child }: HoldfastProcess, peaks: number[], work: () => Promise<unknown>) {
  peaks.push(residentBytes(child.pid, 'VmHWM'))
  return growthDuring(child.pid, residentBytes(child.pid, 'VmRSS'), work)
}

/** Makes a data folder with an account, and leaves it to no server. */
export async function prepareData(
  { spawn }: Pick<Bench, 'spawn'>,
  dataPath: string,
): Promise<Bench['withKey']> {
  await using holdfast = await spawn(dataPath)
  return (await registerWith(holdfast)).withKey
}

function grovesOf(parts: ReadonlyMap<string, Part>): Iterable<Grove> {
  const groves = [...parts.values()].flatMap((part) => part.groves ?? [])
  return new Map(groves.map((grove) => [grove.folder, grove])).values()
}

/** Has the disk finish what was left to do, so that it is not in the next measurement. */
export const settle = (folder: string, signal: AbortSignal) => run(['sync', '-f', folder], signal)

/** Measures ours and others in turns: for each the values of its rounds, in the order given. */
export async function inTurns(
  rounds: number,
  works: readonly (() => Promise<number>)[],
): Promise<number[][]> {
  const values: number[][] = works.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) values[index]?.push(await work())
  }
  return values
}
