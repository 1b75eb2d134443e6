import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { Log } from './log.ts'
import type { Random } from './random.ts'
import type { InTurn } from './time.ts'

/** Time, randomness and messages. */
export interface Services {
  clock: Clock
  random: Random
  log: Log
}

/** Time, randomness, messages and configuration: everything that comes from outside the program. */
export interface Platform extends Services {
  config: Config
  /** Yields to the event loop. Long work awaits it between time slices. */
  nextTurn: () => Promise<void>
  /** Requests that number names in one folder, by its key: at once, all but one would look for names in vain. */
  numbering: InTurn
  heldBytes: HeldBytes
  /** Returns the `Date` of a response that is sent now (RFC 9110 §6.6.1). */
  httpDate: () => string
}
