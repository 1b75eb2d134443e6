import type { ApiKey } from '../../api/keys.ts'

/** Dialog above the list. */
export type Overlay = { is: 'new' } | { is: 'rename' | 'delete'; key: ApiKey }
