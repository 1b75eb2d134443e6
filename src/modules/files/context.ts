import type { Context } from '../../access/context.ts'
import type { Pages } from '../../views/pages.ts'

/** Services of the routes of files. */
export interface FilesContext extends Context {
  pages: Pages
  /** Counts of hosted requests, which are saved behind. */
  traffic: { flush: () => Promise<void> }
}
