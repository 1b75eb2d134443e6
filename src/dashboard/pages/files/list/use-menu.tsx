import { useState } from 'react'
import { useCan } from '../../../api/session.ts'
import { formatItems } from '../../../lib/format.ts'
import { withMarks } from '../../../lib/marks.ts'
import type { Selection } from '../../../lib/selection.ts'
import { browseTexts } from '../../../texts/browse.ts'
import type { FileCommands } from '../commands.ts'
import { countItems, type Item } from '../items.ts'
import { commandsFor, folderCommands } from '../menu.ts'
import { pickUploads } from '../upload-buttons.tsx'
import type { OpenMenu } from './actions.ts'
import type { Point } from './band.ts'
import { ContextMenu } from './command-menu.tsx'

interface MenuOptions {
  folder: string
  selection: Selection<Item>
  commands: FileCommands
  whole: string | undefined
  /** True when the folder has no items in view. */
  isEmpty: boolean
  onNewFolder: () => void
}

interface OpenedMenu {
  at: Point
  item: Item | undefined
}

/** Returns the function that opens the context menu, and the open menu. */
export function useContextMenu(options: MenuOptions) {
  const [opened, setOpened] = useState<OpenedMenu>()
  const { selection } = options
  const openMenu: OpenMenu = (at, item) => {
    if (!item) selection.clear()
    else if (!selection.has(item.id)) selection.selectOnly(item.id)
    setOpened({ at, item })
  }
  const menu = opened && (
    <OpenContextMenu
      key={`${opened.at.x} ${opened.at.y}`}
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
  const { folder, selection, commands, whole, isEmpty, onNewFolder } = options
  const [mayWrite, mayDelete] = [useCan('files:write'), useCan('files:delete')]
  if (!item) {
    const groups = folderCommands({
      ...{ folder, mayWrite, newFolder: onNewFolder },
      selectAll: isEmpty ? undefined : selection.selectAll,
      upload: (what) => pickUploads(folder, what),
    })
    if (groups.length === 0) return null
    return <ContextMenu label={browseTexts.folderMenu} at={at} groups={groups} onClose={onClose} />
  }
  const items = selection.has(item.id) ? selection.items : [item]
  const what = items.length === 1 ? withMarks(item.name) : formatItems(countItems(items))
  const groups = commandsFor({ items, commands, mayWrite, mayDelete, whole })
  return <ContextMenu label={browseTexts.menuOf(what)} at={at} groups={groups} onClose={onClose} />
}
