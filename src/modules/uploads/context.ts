import type { Context } from '../../access/context.ts'
import type { Resumables } from './resumables.ts'

/** Services of resumable uploads. */
export interface UploadsContext extends Context {
  resumables: Resumables
}
