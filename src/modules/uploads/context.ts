import type { Context } from '../../access/context.ts'
import type { Resumables } from './resumables.ts'

/** Everything that resumable uploads use. */
export interface UploadsContext extends Context {
  resumables: Resumables
}
