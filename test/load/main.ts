import { expectNothingFromOutside, raceOfSwaps } from '../attacks/swaps.ts'
import { formatReport, type Limit } from '../bench/report.ts'
import { loadPipeline, loadSlowClients } from './connections.ts'
import { never, startLoaded } from './server.ts'
import { loadSignIns } from './sign-in.ts'
import { loadLargeFile, loadManyUploads, type Outcome } from './transfers.ts'

const LIMIT_MS = { short: 60_000, full: 1_200_000 }

/** A folder is swapped for a link as often as that; none of it may let anything in or out. */
async function loadSwaps(rounds: number): Promise<Limit[]> {
  await using loaded = await startLoaded()
  const { holdfast, withKey } = loaded
  const seen = await raceOfSwaps({ holdfast, withKey, rounds })
  expectNothingFromOutside(seen, holdfast)
  return [never(`answers from outside in ${rounds} swaps of a folder for a link`, seen.leaks.length)]
}

interface Load {
  what: string
  work: (signal: AbortSignal) => Promise<Limit[] | Outcome>
}

const loads = (isShort: boolean): Load[] => [
  { what: 'slow clients', work: () => loadSlowClients(isShort ? 6000 : 20_000) },
  { what: 'sign-ins', work: () => loadSignIns(isShort ? 2 : 10) },
  { what: 'pipelining', work: () => loadPipeline() },
  { what: 'swaps', work: () => loadSwaps(isShort ? 500 : 10_000) },
  ...(isShort
    ? []
    : [
        { what: 'many uploads', work: loadManyUploads },
        { what: 'a large file', work: loadLargeFile },
      ]),
]

async function main(isShort: boolean): Promise<boolean> {
  const signal = AbortSignal.timeout(isShort ? LIMIT_MS.short : LIMIT_MS.full)
  const limits: Limit[] = []
  for (const { what, work } of loads(isShort)) {
    signal.throwIfAborted()
    const outcome = await work(signal)
    const { limits: rows, notes } = Array.isArray(outcome) ? { limits: outcome, notes: [] } : outcome
    // At once: what is measured is not lost when a later load fails.
    console.log(`${formatReport({ title: `load: ${what}`, rows, notes })}\n`)
    limits.push(...rows)
  }
  return limits.every(({ value, limit }) => limit === undefined || value <= limit)
}

try {
  process.exitCode = (await main(process.argv.includes('--short'))) ? 0 : 1
} catch (error) {
  console.error(`The load failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
process.exit()
