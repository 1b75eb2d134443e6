import {
  Download,
  Ellipsis,
  FolderInput,
  Globe,
  Inbox,
  Info,
  Link,
  Lock,
  Pencil,
  Replace,
  Share2,
  Shredder,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../api/session.ts'
import { IconButton } from '../../../components/fields/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx'
import { withMarks } from '../../../lib/marks.ts'
import { shareTexts } from '../../../texts/shares.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { download } from '../downloads.ts'
import { type Item, isFile } from '../items.ts'

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
    <Menu startsOpen trigger={<IconButton {...button} />}>
      <ItemMenuContent item={item} commands={commands} />
    </Menu>
  )
}

function ItemMenuContent({ item, commands }: Omit<ItemMenuProps, 'isCurrent'>) {
  const mayWrite = useCan('files:write')
  const mayDelete = useCan('files:delete')
  return (
    <>
      {isFile(item) && (
        <>
          <MenuItem icon={Info} onSelect={() => commands.show(item)}>
            {texts.files.details}
          </MenuItem>
          <MenuItem icon={Link} onSelect={() => commands.copyLink(item)}>
            {texts.files.copyLink}
          </MenuItem>
        </>
      )}
      <MenuItem icon={Share2} onSelect={() => commands.share([item])}>
        {texts.files.share}
      </MenuItem>
      {!isFile(item) && mayWrite && (
        <MenuItem icon={Inbox} onSelect={() => commands.requestFiles(item)}>
          {shareTexts.request}
        </MenuItem>
      )}
      <MenuItem icon={Download} onSelect={() => download([item])}>
        {texts.files.download}
      </MenuItem>
      {mayWrite && (
        <>
          <MenuSeparator />
          <MenuItem icon={Pencil} onSelect={() => commands.rename(item)}>
            {texts.files.rename}
          </MenuItem>
          <MenuItem icon={FolderInput} onSelect={() => commands.move([item])}>
            {texts.files.move}
          </MenuItem>
          {isFile(item) && (
            <MenuItem icon={Replace} onSelect={() => commands.replace(item)}>
              {texts.files.replace}
            </MenuItem>
          )}
          <VisibilityItems item={item} commands={commands} />
        </>
      )}
      {mayDelete && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} onSelect={() => commands.remove([item])}>
            {texts.files.delete}
          </MenuItem>
          <MenuItem icon={Shredder} isDanger onSelect={() => commands.removeForGood([item])}>
            {texts.files.deleteForGood}
          </MenuItem>
        </>
      )}
    </>
  )
}

/** Items that change the visibility: the other one for a file, both for a folder. */
function VisibilityItems({ item, commands }: Omit<ItemMenuProps, 'isCurrent'>) {
  const present = isFile(item) ? item.visibility : undefined
  return (
    <>
      {present !== 'public' && (
        <MenuItem icon={Globe} onSelect={() => commands.setVisibility([item], 'public')}>
          {texts.files.makePublic}
        </MenuItem>
      )}
      {present !== 'private' && (
        <MenuItem icon={Lock} onSelect={() => commands.setVisibility([item], 'private')}>
          {texts.files.makePrivate}
        </MenuItem>
      )}
    </>
  )
}
