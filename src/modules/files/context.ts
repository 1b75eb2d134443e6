import type { Context } from '../../access/context.ts'
import type { Pages } from '../../views/pages.ts'
import type { Traffic } from '../hosting/traffic.ts'

/** Services shared by the routes of files and folders. */
export interface FilesContext extends Context {
  pages: Pages
  traffic: Pick<Traffic, 'flush'>
}
