import { Folder } from 'lucide-react'
import { KIND_ICONS } from '../../../components/kind-icons.ts'
import { kindOf } from '../../../lib/kinds.ts'
import { type Item, isFile } from '../items.ts'

export function ItemIcon({ item, size = 20 }: { item: Item; size?: number }) {
  const Icon = isFile(item) ? KIND_ICONS[kindOf(item)] : Folder
  return <Icon aria-hidden className={`item-icon item-icon-${item.is}`} size={size} strokeWidth={1.6} />
}
