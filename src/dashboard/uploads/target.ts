import { createStore } from '../lib/store.ts'

/** The key of the folder that dropped files go to: the one that is open. */
export const uploadTarget = createStore('')
