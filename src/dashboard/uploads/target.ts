import { createStore } from '../lib/store.ts'

/** Object key of the folder that dropped files go to: the open one. */
export const uploadTarget = createStore('')
