import { KindIcon } from '../../../components/kind-icon.tsx'
import { kindOf } from '../../../lib/kinds.ts'
import { type Item, isFile } from '../items.ts'

export const ItemIcon = ({ item, size = 20 }: { item: Item; size?: number }) => (
  <KindIcon kind={isFile(item) ? kindOf(item) : 'folder'} size={size} />
)
