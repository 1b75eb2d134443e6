import type { Share } from '../../api/shares.ts'

/** Dialog above the list. */
export interface Overlay {
  is: 'link' | 'visits' | 'edit' | 'end'
  share: Share
}
