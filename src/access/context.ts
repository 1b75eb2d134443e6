import type { Core, TreeCore } from '../store/store.ts'
import type { Access } from './access.ts'

/** Services shared by all modules. Each module adds its own state in a context of its own. */
export interface Context extends Core, Access {}

/** Services with the tree as far as a caller reaches; `within` returns them. */
export interface TreeContext extends TreeCore, Access {}
