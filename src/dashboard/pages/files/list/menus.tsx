import { Ellipsis } from 'lucide-react'
import { useRef, useState } from 'react'
import { useMayWriteIn, useReach } from '../../../api/reach.ts'
import { IconButton } from '../../../components/fields/button.tsx'
import { CommandItems, Menu } from '../../../components/overlays/menu.tsx'
import { formatItems, withMarks } from '../../../lib/format.ts'
import { type MenuGroups, usePageCommands } from '../../../lib/palette.ts'
import { lastSegment } from '../../../lib/paths.ts'
import type { Selection } from '../../../lib/selection.ts'
import { browseTexts } from '../../../texts/browse.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { countItems, type Item } from '../items.ts'
import { type Creation, commandsFor, folderCommands } from '../menu.ts'
import { useItemRights } from '../rights.ts'
import type { OpenMenu, Point } from './rubber-band.ts'

interface MenuOptions extends Creation {
  folder: string
  selection: Selection<Item>
  commands: FileCommands
  whole: string | undefined
  /** True when the folder has no items in view. */
  isEmpty: boolean
}

interface OpenedMenu {
  at: Point
  item: Item | undefined
  /** Number that no other menu of the page has. */
  number: number
}

/** Returns the function that opens the context menu, and the open menu. */
export function useContextMenu(options: MenuOptions) {
  const [opened, setOpened] = useState<OpenedMenu>()
  const count = useRef(0)
  const { selection } = options
  useCommandsOfPage(options)
  const openMenu: OpenMenu = (at, item) => {
    if (!item) selection.clear()
    else if (!selection.has(item.id)) selection.selectOnly(item.id)
    count.current += 1
    setOpened({ at, item, number: count.current })
  }
  const menu = opened && (
    <OpenContextMenu
      // One that still closes, at the same place too, is not the one that opens.
      key={opened.number}
      {...options}
      opened={opened}
      // Another one may have opened meanwhile.
      onClose={() => setOpened((now) => (now === opened ? undefined : now))}
    />
  )
  return { openMenu, menu }
}

type OpenContextMenuProps = MenuOptions & { opened: OpenedMenu; onClose: () => void }

function OpenContextMenu({ opened: { at, item }, onClose, ...options }: OpenContextMenuProps) {
  const { selection, commands, whole } = options
  const items = item && selection.has(item.id) ? selection.items : item ? [item] : []
  const rights = useItemRights(items)
  const ofFolder = useFolderCommands(options)
  if (item) {
    const groups = commandsFor({ items, commands, whole, ...rights })
    return <ContextMenu label={browseTexts.menuOf(nameOf(items))} at={at} groups={groups} onClose={onClose} />
  }
  const groups = ofFolder()
  if (groups.length === 0) return null
  return <ContextMenu label={browseTexts.folderMenu} at={at} groups={groups} onClose={onClose} />
}

/** Returns a single item's name, and the number of several. */
const nameOf = (items: Item[]) =>
  items[0] && items.length === 1 ? withMarks(items[0].name) : formatItems(countItems(items))

/** Returns the function that makes the open folder's commands. */
function useFolderCommands({
  folder,
  selection,
  isEmpty,
  newFolder,
  newFile,
}: MenuOptions): () => MenuGroups {
  const mayWrite = useMayWriteIn()(folder)
  return () =>
    folderCommands({
      ...{ folder, mayWrite, newFolder, newFile },
      selectAll: isEmpty ? undefined : selection.selectAll,
    })
}

/** Offers the commands for the selection, and for the open folder, in the palette. */
function useCommandsOfPage(options: MenuOptions): void {
  const { folder, selection, commands, whole } = options
  const { items } = selection
  const rights = useItemRights(items)
  const { top } = useReach()
  const ofFolder = useFolderCommands(options)
  usePageCommands(() => [
    ...(items.length > 0
      ? [{ about: nameOf(items), groups: commandsFor({ items, commands, whole, ...rights }) }]
      : []),
    { about: withMarks(lastSegment(folder)) || top, groups: ofFolder() },
  ])
}

interface ContextMenuProps {
  /** Name for screen readers. */
  label: string
  /** Place in the window. */
  at: Point
  groups: MenuGroups
  onClose: () => void
}

/** Menu at the pointer or at an item. It returns the focus to what had it. */
export const ContextMenu = ({ label, at, groups, onClose }: ContextMenuProps) => (
  <Menu
    startsOpen
    align="start"
    gap={2}
    onClose={onClose}
    trigger={
      <button
        type="button"
        className="menu-anchor"
        tabIndex={-1}
        aria-label={label}
        style={{ left: at.x, top: at.y }}
      />
    }
  >
    <CommandItems groups={groups} />
  </Menu>
)

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

const ItemCommands = ({ item, commands }: Omit<ItemMenuProps, 'isCurrent'>) => (
  <CommandItems groups={commandsFor({ items: [item], commands, ...useItemRights([item]) })} />
)
