import type { Visibility } from '../../client/index.ts'
import { createStore } from '../lib/store.ts'

/** Visibility of files to upload until the page is left; undefined for the instance's setting. */
export const uploadVisibility = createStore<Visibility | undefined>(undefined)
