import { kindOf } from '../../../../platform/kinds.ts'
import { KindIcon } from '../../../components/kind-icon.tsx'
import { type Item, isFile } from '../items.ts'

export const ItemIcon = ({ item, size = 20 }: { item: Item; size?: number }) => (
  <KindIcon kind={isFile(item) ? kindOf(item) : 'folder'} size={size} />
)
