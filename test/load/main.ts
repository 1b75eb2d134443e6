import { expectNothingFromOutside, raceOfSwaps } from '../attacks/swaps.ts'
import { formatReport, type Limit } from '../bench/report.ts'
import { loadPipeline, loadSlowClients } from './connections.ts'
import { loadLongWork } from './long-work.ts'
import { never, startLoaded } from './server.ts'
import { loadSignIns } from './sign-in.ts'
import { loadLargeFile, loadManyUploads, type Outcome } from './transfers.ts'

/** Durations and repetitions of a run. */
interface Extent {
  limitMs: number
  slowMs: number
  floods: number
  swaps: number
  isLarge: boolean
}

const FULL: Extent = { limitMs: 1_200_000, slowMs: 20_000, floods: 10, swaps: 10_000, isLarge: true }
const SHORT: Extent = { limitMs: 60_000, slowMs: 6000, floods: 2, swaps: 500, isLarge: false }
/** Extent for machines with other load, which take longer. */
const UNTIMED: Extent = { ...SHORT, limitMs: 85_000, slowMs: 3000, floods: 1 }

/** Swaps a folder for a link this often. No swap may leak files in or out. */
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

const loads = ({ slowMs, floods, swaps, isLarge }: Extent): Load[] => [
  { what: 'slow clients', work: () => loadSlowClients(slowMs) },
  { what: 'sign-ins', work: () => loadSignIns(floods) },
  { what: 'pipelining', work: () => loadPipeline() },
  { what: 'swaps', work: () => loadSwaps(swaps) },
  ...(isLarge
    ? [
        { what: 'long work', work: () => loadLongWork() },
        { what: 'many uploads', work: loadManyUploads },
        { what: 'a large file', work: loadLargeFile },
      ]
    : []),
]

const isMissed = ({ value, limit }: Limit) => limit !== undefined && !(value <= limit)

async function measure(extent: Extent): Promise<Limit[]> {
  const signal = AbortSignal.timeout(extent.limitMs)
  const limits: Limit[] = []
  for (const { what, work } of loads(extent)) {
    signal.throwIfAborted()
    const outcome = await work(signal)
    const { limits: rows, notes } = Array.isArray(outcome) ? { limits: outcome, notes: [] } : outcome
    // Printed at once, so that a later failure does not lose the figures.
    console.log(`${formatReport({ title: `load: ${what}`, rows, notes })}\n`)
    limits.push(...rows)
  }
  return limits
}

/** Checks the limits that do not depend on the machine's load. Prints missed times, but does not count them. */
async function checkUntimed(): Promise<boolean> {
  const limits = await measure(UNTIMED)
  const missed = limits.filter(isMissed)
  for (const { what, value, limit = 0, show, isTime } of missed)
    console.log(
      `load: ${isTime ? 'missed, but not counted' : 'missed'}: ${what}: ${show(value)}, not ${show(limit)}`,
    )
  const failed = missed.filter(({ isTime }) => !isTime).length
  const counted = limits.filter(({ limit, isTime }) => limit !== undefined && !isTime).length
  // In the format of the test runner.
  console.log(` ${counted - failed} pass\n ${failed} fail`)
  return failed === 0
}

const isWithinLimits = async (extent: Extent) => !(await measure(extent)).some(isMissed)

try {
  const [isShort, isUntimed] = ['--short', '--untimed'].map((option) => process.argv.includes(option))
  const isReached = isUntimed ? await checkUntimed() : await isWithinLimits(isShort ? SHORT : FULL)
  process.exitCode = isReached ? 0 : 1
} catch (error) {
  console.error(`The load failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
process.exit()
