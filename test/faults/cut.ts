import { readFileSync } from 'node:fs'
import { startHoldfast } from '../support/holdfast.ts'
import { type Actor, checkAll } from './actor.ts'
import type { Disk } from './disks.ts'
import { inspect } from './inspect.ts'
import type { World } from './world.ts'

/** Stops the server's process with all its threads. One that has ended counts as stopped. */
export function freeze(world: World): void {
  world.signal('SIGSTOP')
  // The runtime reaps a process between events, so here one that has ended stays a zombie.
  while (!/^[TtZX]$/.test(stateOf(world.pid))) Bun.sleepSync(0.1)
}

/** Returns true while SIGSTOP holds a process with all its threads. */
export const isStopped = (pid: number) => stateOf(pid) === 'T'

/** Returns the letter of a process's state in proc(5). */
function stateOf(pid: number): string {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? 'X'
  } catch {
    return 'X'
  }
}

/** Starts a server on the copy, in this process because that is fastest. */
export async function inspectCopy(
  copy: Disk,
  { account }: World,
  witnesses: readonly Actor[],
): Promise<string[]> {
  try {
    copy.restore()
    await using holdfast = await startHoldfast({ dataPath: copy.dataPath })
    const { state, violations } = await inspect(holdfast, account)
    return [...violations, ...checkAll(witnesses, state)]
  } catch (error) {
    return [`nothing starts on it: ${error}`]
  }
}
