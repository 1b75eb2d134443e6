import { join } from 'node:path'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { growthDuring, residentBytes } from './memory.ts'
import { type Grove, plantGrove } from './plant.ts'
import type { Row } from './report.ts'
import { run } from './tools.ts'
import { openWorkspace } from './workspace.ts'

/** Part of the table. */
export interface Part {
  /** Groves that it needs in the data folder. Parts share equal ones. */
  groves?: readonly Grove[]
  /** Measures until it is done or the bench's signal aborts it. */
  measure: (bench: Bench) => Promise<Row[]>
}

/** Shared resources of all parts: a server with their groves, and a folder for other files. */
export interface Bench {
  holdfast: HoldfastProcess
  withKey: { 'API-Key': string }
  /** Folder on the disk of the server's data. */
  folder: string
  signal: AbortSignal
  /** Runs another server and records its peak memory. */
  spawn: (dataPath: string, binary?: string) => Promise<HoldfastProcess>
  /** Runs a load on the first server. Returns the greatest growth of its memory, in bytes. */
  growthDuring: (work: () => Promise<unknown>) => Promise<number>
  note: (line: string) => void
}

export interface Found {
  rows: Row[]
  notes: string[]
  /** Peak resident bytes of each server that has ended. */
  peaks: number[]
}

/** Limits so high that the limiter counts all requests and refuses none. */
const ENVIRONMENT = {
  RATE_LIMIT_API: '1000000000',
  RATE_LIMIT_HOSTING: '1000000000',
  RATE_LIMIT_UPLOADS: '1000000000',
  RATE_LIMIT_SITES: '1000000000',
  SITES_DOMAIN: 'sites.bench',
  MAX_FILES_PER_REQUEST: '1000',
}

/** Measures the parts one after the other. Removes all files, also after a failure. */
export async function measureParts(parts: ReadonlyMap<string, Part>, signal: AbortSignal): Promise<Found> {
  const found: Found = { rows: [], notes: [], peaks: [] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const spawn = (dataPath: string, binary?: string) => spawnWatched(dataPath, found.peaks, binary)
  const withKey = await prepareData({ spawn }, dataPath)
  for (const grove of grovesOf(parts)) plantGrove(dataPath, grove, Date.now())
  await settle(workspace.path, signal)
  // A new process, so that the memory of the registration does not count.
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

/** Measures the growth of memory. Adds the peak so far to `peaks`, because measuring resets the high-water mark. */
async function measureGrowth({ child }: HoldfastProcess, peaks: number[], work: () => Promise<unknown>) {
  peaks.push(residentBytes(child.pid, 'VmHWM'))
  return growthDuring(child.pid, work)
}

/** Creates a data folder with an account and stops its server. */
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

/** Syncs the disk, so that pending writes do not count in the next measurement. */
export const settle = (folder: string, signal: AbortSignal) => run(['sync', '-f', folder], signal)

/** Measures our server and its peers in alternation. Returns the values of the rounds of each, in the given order. */
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
