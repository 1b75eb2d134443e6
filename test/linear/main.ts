import type { RigOptions, Tally } from '../support/tally.ts'
import { describe, shorten, verdictOf } from './history.ts'
import { playRound } from './round.ts'
import { startWorld } from './world.ts'

/** Plays rounds on new servers and searches for an order that explains the responses of each. */
export async function rigLinear(tally: Tally, options: RigOptions): Promise<void> {
  const { seed, isSame, isDeep, share, count = isDeep ? 1000 : 25, servers = 1 } = options
  const rounds = Math.ceil(count * share)
  const violations: string[] = []
  let [played, undecided] = [0, 0]
  await using world = await startWorld({ servers })
  while (played < rounds && violations.length === 0) {
    const own = isSame ? seed : seed + played
    played += 1
    const history = await playRound(world, own)
    const verdict = verdictOf(history)
    if (verdict.kind === 'undecided') undecided += 1
    if (verdict.kind === 'unexplained')
      violations.push(
        `no order explains the round of seed ${own}:\n${describe(shorten(history))}\n${errorsIn(world.output())}`,
      )
  }
  console.log(`linear: ${undecided} rounds have too many possible orders`)
  // At least one round must be decided, or the run checked nothing.
  tally.add('rounds', played - undecided, violations)
}

/** Returns the last errors of the server's log, which explain responses of 500. */
const errorsIn = (output: string): string =>
  output
    .split('\n')
    .filter((line) => line.includes('"level":"error"') || line.includes('"level":50'))
    .slice(-3)
    .join('\n')
