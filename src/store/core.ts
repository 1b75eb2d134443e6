import type { Platform } from '../platform/platform.ts'
import type { Store } from './store.ts'

/** Platform and store: everything below authentication. */
export interface Core extends Platform {
  store: Store
}
