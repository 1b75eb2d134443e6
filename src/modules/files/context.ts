import type { Context } from '../../access/context.ts'
import type { Traffic } from '../hosting/traffic.ts'
import type { Pages } from './pages.ts'

/** Services shared by the routes of files and folders. */
export interface FilesContext extends Context {
  pages: Pages
  traffic: Pick<Traffic, 'flush'>
}
