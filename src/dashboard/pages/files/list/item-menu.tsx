import { Ellipsis } from 'lucide-react'
import { useCan } from '../../../api/session.ts'
import { IconButton } from '../../../components/fields/button.tsx'
import { Menu } from '../../../components/overlays/menu.tsx'
import { withMarks } from '../../../lib/marks.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import type { Item } from '../items.ts'
import { commandsFor } from '../menu.ts'
import { CommandItems } from './command-menu.tsx'

interface ItemMenuProps {
  item: Item
  commands: FileCommands
  isCurrent: boolean
}

/** Menu of the actions on one item. */
export function ItemMenu({ item, commands, isCurrent }: ItemMenuProps) {
  const name = withMarks(item.name)
  return (
    <Menu
      title={name}
      trigger={
        <IconButton icon={Ellipsis} label={texts.files.actionsOf(name)} tabIndex={isCurrent ? 0 : -1} />
      }
    >
      <ItemCommands item={item} commands={commands} />
    </Menu>
  )
}

function ItemCommands({ item, commands }: Omit<ItemMenuProps, 'isCurrent'>) {
  const [mayWrite, mayDelete] = [useCan('files:write'), useCan('files:delete')]
  return <CommandItems groups={commandsFor({ items: [item], commands, mayWrite, mayDelete })} />
}
