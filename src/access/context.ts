import type { Core } from '../store/core.ts'
import type { Access } from './access.ts'

/** Everything that all modules share. A module's own state stands beside it in the module's context. */
export interface Context extends Core, Access {}
