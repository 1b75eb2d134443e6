import { expectNothingFromOutside, raceOfSwaps } from '../attacks/swaps.ts'
import { formatReport, type Limit } from '../bench/report.ts'
import { loadPipeline, loadSlowClients } from './connections.ts'
import { loadLongWork } from './long-work.ts'
import { never, startLoaded } from './server.ts'
import { loadSignIns } from './sign-in.ts'
import { loadLargeFile, loadManyUploads, type Outcome } from './transfers.ts'

/** How long and how often is tried. */
interface Extent {
  limitMs: number
  slowMs: number
  floods: number
  swaps: number
  isLarge: boolean
}

const FULL: Extent = { limitMs: 1_200_000, slowMs: 20_000, floods: 10, swaps: 10_000, isLarge: true }
const SHORT: Extent = { limitMs: 60_000, slowMs: 6000, floods: 2, swaps: 500, isLarge: false }
/** For machines that do other things, too, and so take longer. */
const UNTIMED: Extent = { ...SHORT, limitMs: 85_000, slowMs: 3000, floods: 1 }

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
    // At once: what is measured is not lost when a later load fails.
    console.log(`${formatReport({ title: `load: ${what}`, rows, notes })}\n`)
    limits.push(...rows)
  }
  return limits
}

/** Judges what does not depend on how busy the machine is, and names the times that were missed. */
async function judgeUntimed(): Promise<boolean> {
  const limits = await measure(UNTIMED)
  const missed = limits.filter(isMissed)
  for (const { what, value, limit = 0, show, isTime } of missed)
    console.log(
      `load: ${isTime ? 'missed, but not judged' : 'missed'}: ${what}: ${show(value)}, not ${show(limit)}`,
    )
  const failed = missed.filter(({ isTime }) => !isTime).length
  const judged = limits.filter(({ limit, isTime }) => limit !== undefined && !isTime).length
  // In the words in which the test runner gives its sums.
  console.log(` ${judged - failed} pass\n ${failed} fail`)
  return failed === 0
}

const judge = async (extent: Extent) => !(await measure(extent)).some(isMissed)

try {
  const [isShort, isUntimed] = ['--short', '--untimed'].map((option) => process.argv.includes(option))
  const isReached = isUntimed ? await judgeUntimed() : await judge(isShort ? SHORT : FULL)
  process.exitCode = isReached ? 0 : 1
} catch (error) {
  console.error(`The load failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
process.exit()
