import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { playFamily } from './family.ts'
import { playTeam } from './team.ts'

const ROWS = [
  { name: 'family', play: playFamily },
  { name: 'team', play: playTeam },
]

/** Plays a family of five and a team of forty in the browser, and compares their pages with a model. */
export async function rigPeople(tally: Tally, options: RigOptions): Promise<void> {
  for (const { play } of chosenFrom(ROWS, options)) await play(tally, options)
}
