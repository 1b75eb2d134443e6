import { expectNothingFromOutside, raceOfSwaps } from '../attacks/swaps.ts'
import { formatReport, type Limit } from '../bench/report.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { loadPipeline, loadSlowClients } from './connections.ts'
import { loadLongWork } from './long-work.ts'
import { never, startLoaded } from './server.ts'
import { loadSignIns } from './sign-in.ts'
import { loadLargeFile, loadManyUploads, type Outcome } from './transfers.ts'

/** Swaps a folder for a link this often. No swap may leak files in or out. */
async function loadSwaps(rounds: number): Promise<Limit[]> {
  await using loaded = await startLoaded()
  const { holdfast, withKey } = loaded
  const seen = await raceOfSwaps({ holdfast, withKey, rounds })
  expectNothingFromOutside(seen, holdfast)
  return [never(`answers from outside in ${rounds} swaps of a folder for a link`, seen.leaks.length)]
}

/** Row of this rig. */
interface Load {
  name: string
  work: () => Promise<Limit[] | Outcome>
}

/** Returns the loads. Those with large transfers belong to a deep run only. */
const loads = (isDeep: boolean): Load[] => [
  { name: 'slow clients', work: () => loadSlowClients(isDeep ? 20_000 : 3000) },
  { name: 'sign-ins', work: () => loadSignIns(isDeep ? 10 : 1) },
  { name: 'pipelining', work: () => loadPipeline() },
  { name: 'swaps', work: () => loadSwaps(isDeep ? 10_000 : 500) },
  ...(isDeep
    ? [
        { name: 'long work', work: () => loadLongWork() },
        { name: 'many uploads', work: loadManyUploads },
        { name: 'a large file', work: loadLargeFile },
      ]
    : []),
]

/** Loads the server. Judges only limits that hold on any machine, and prints times that miss theirs. */
export async function rigLoad(tally: Tally, options: RigOptions): Promise<void> {
  for (const { name, work } of chosenFrom(loads(options.isDeep), options)) {
    const outcome = await work()
    const { limits: rows, notes } = Array.isArray(outcome) ? { limits: outcome, notes: [] } : outcome
    console.log(`${formatReport({ title: `load: ${name}`, rows, notes })}\n`)
    for (const { what, value, limit, isTime, show } of rows) {
      if (limit === undefined) continue
      const missed = value <= limit ? [] : [`${show(value)}, not ${show(limit)}`]
      if (!isTime) tally.judge(what, missed)
      else for (const miss of missed) console.log(`load: missed, but not judged: ${what}: ${miss}`)
    }
  }
}
