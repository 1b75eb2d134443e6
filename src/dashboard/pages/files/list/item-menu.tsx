import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
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
  // The menu is rendered when it is first opened, because one per row would slow scrolling.
  const [isWanted, setWanted] = useState(false)
  const button = {
    icon: Ellipsis,
    label: texts.files.actionsOf(withMarks(item.name)),
    tabIndex: isCurrent ? 0 : -1,
  }
  if (!isWanted) {
    return (
      <IconButton {...button} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
    )
  }
  return (
    <Menu startsOpen title={withMarks(item.name)} trigger={<IconButton {...button} />}>
      <ItemCommands item={item} commands={commands} />
    </Menu>
  )
}

function ItemCommands({ item, commands }: Omit<ItemMenuProps, 'isCurrent'>) {
  const [mayWrite, mayDelete] = [useCan('files:write'), useCan('files:delete')]
  return <CommandItems groups={commandsFor({ items: [item], commands, mayWrite, mayDelete })} />
}
