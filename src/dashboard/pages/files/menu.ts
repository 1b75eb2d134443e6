import {
  AppWindow,
  CheckCheck,
  ClipboardPaste,
  Copy,
  Download,
  Eye,
  FilePlus,
  FolderInput,
  FolderOpen,
  FolderPlus,
  FolderUp,
  Globe,
  Inbox,
  Info,
  KeyRound,
  Link,
  Lock,
  Pencil,
  Replace,
  Scissors,
  Share2,
  Shredder,
  Star,
  StarOff,
  Trash2,
  Upload,
  Users,
} from 'lucide-react'
import type { MenuCommand, MenuGroups } from '../../lib/palette.ts'
import { withCommand, withShift } from '../../lib/shortcut.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { holdItems, mayPaste, pasteItems } from './clipboard.ts'
import type { FileCommands } from './commands.ts'
import { download } from './downloads.ts'
import { areFavorites } from './favorites.tsx'
import { type FileItem, type Item, isFile } from './items.ts'
import type { ItemRights } from './rights.ts'
import { pickUploads } from './upload-buttons.tsx'

interface Subject extends ItemRights {
  items: Item[]
  commands: FileCommands
  /** Id of the folder whose whole content the items are. */
  whole?: string | undefined
}

const words = texts.files
const keys = browseTexts.help.keyNames

/** Returns the commands for one item, or for several together: the source of each menu about items. */
export function commandsFor(subject: Subject): MenuGroups {
  const { items, commands, mayDelete } = subject
  const change = [...changesOf(subject), ...visibilityOf(subject)]
  const remove: MenuCommand[] = [
    { label: words.delete, icon: Trash2, shortcut: keys.delete, run: () => commands.remove(items) },
    {
      ...{ label: words.deleteForGood, icon: Shredder, isDanger: true },
      shortcut: withShift(keys.delete),
      run: () => commands.removeForGood(items),
    },
  ]
  const opening = [...openingOf(subject), favoriteOf(subject)]
  return [opening, sharingOf(subject), change, mayDelete ? remove : []].filter(({ length }) => length > 0)
}

function openingOf({ items, commands }: Subject): MenuCommand[] {
  const [item, ...others] = items
  if (!item || others.length > 0) return []
  const open = { label: words.preview, shortcut: keys.enter, run: () => commands.open(item) }
  if (!isFile(item)) return [{ ...open, icon: FolderOpen }]
  return [
    { ...open, icon: Eye },
    { label: words.details, icon: Info, run: () => commands.show(item) },
  ]
}

const favoriteOf = ({ items, commands }: Subject): MenuCommand => ({
  ...(areFavorites(items)
    ? { label: browseTexts.favorites.remove, icon: StarOff }
    : { label: browseTexts.favorites.add, icon: Star }),
  shortcut: '*',
  run: () => commands.star(items),
})

function sharingOf({ items, commands, mayMakeKeys, mayLetIn, whole, ...rights }: Subject): MenuCommand[] {
  const [item, ...others] = items
  const only = others.length === 0 ? item : undefined
  const entries: MenuCommand[] = [
    ...(rights.mayShare
      ? [
          {
            ...{ label: words.share, icon: Share2 },
            problem: rights.mayShareAll ? undefined : words.noneToShare,
            run: () => commands.share(items),
          },
        ]
      : []),
    { label: words.download, icon: Download, run: () => download(items, whole) },
  ]
  if (only && isFile(only))
    entries.unshift({ label: words.copyLink, icon: Link, run: () => commands.copyLink(only) })
  else if (only) {
    if (rights.mayReceive)
      entries.push({ label: words.requestFiles, icon: Inbox, run: () => commands.requestFiles(only) })
    if (rights.mayMakeSite)
      entries.push({ label: browseTexts.site, icon: AppWindow, run: () => commands.showSite(only) })
    if (mayLetIn)
      entries.push({ label: browseTexts.people, icon: Users, run: () => commands.showPeople(only) })
    if (mayMakeKeys)
      entries.push({ label: browseTexts.keyForFolder, icon: KeyRound, run: () => commands.makeKey(only) })
  }
  return entries
}

function changesOf({ items, commands, mayWrite, mayCopy }: Subject): MenuCommand[] {
  const [item, ...others] = items
  const only = others.length === 0 ? item : undefined
  const rename = (one: Item) => ({
    ...{ label: words.rename, icon: Pencil, shortcut: 'F2' },
    run: () => commands.rename(one),
  })
  const moves: MenuCommand[] = [
    { label: words.move, icon: FolderInput, run: () => commands.move(items) },
    {
      ...{ label: browseTexts.cut, icon: Scissors, shortcut: withCommand('X') },
      run: () => holdItems(items, true),
    },
  ]
  const copy = {
    ...{ label: browseTexts.copy, icon: Copy, shortcut: withCommand('C') },
    run: () => holdItems(items, false),
  }
  const replace = (file: FileItem) => ({
    ...{ label: words.replace, icon: Replace },
    run: () => commands.replace(file),
  })
  return [
    ...(mayWrite && only ? [rename(only)] : []),
    ...(mayWrite ? moves : []),
    ...(mayCopy ? [copy] : []),
    ...(mayWrite && only && isFile(only) ? [replace(only)] : []),
  ]
}

/** Returns the changes of visibility: the other one for files that are all alike, both for folders. */
function visibilityOf({ items, commands, mayMakePublic, mayMakePrivate }: Subject): MenuCommand[] {
  const areAll = (visibility: string) => items.every((item) => isFile(item) && item.visibility === visibility)
  const makePublic = {
    ...{ label: words.makePublic, icon: Globe },
    run: () => commands.setVisibility(items, 'public'),
  }
  const makePrivate = {
    ...{ label: words.makePrivate, icon: Lock },
    run: () => commands.setVisibility(items, 'private'),
  }
  return [
    ...(areAll('public') || !mayMakePublic ? [] : [makePublic]),
    ...(areAll('private') || !mayMakePrivate ? [] : [makePrivate]),
  ]
}

/** Functions that ask for the name of a new item. */
export interface Creation {
  newFolder: () => void
  newFile: () => void
}

/** Returns the commands that add to a folder. */
export const additionsTo = (folder: string, { newFolder, newFile }: Creation): MenuGroups => [
  [
    { label: words.newFolder, icon: FolderPlus, run: newFolder },
    { label: browseTexts.newFile, icon: FilePlus, run: newFile },
  ],
  [
    { label: browseTexts.uploadFiles, icon: Upload, run: () => pickUploads(folder, 'files') },
    { label: words.uploadFolder, icon: FolderUp, run: () => pickUploads(folder, 'folder') },
  ],
]

interface Place extends Creation {
  folder: string
  mayWrite: boolean
  /** Missing where nothing can be selected. */
  selectAll: (() => void) | undefined
}

/** Returns the commands for the open folder itself. */
export function folderCommands({ folder, mayWrite, selectAll, ...creation }: Place): MenuGroups {
  const paste = {
    ...{ label: browseTexts.paste, icon: ClipboardPaste, shortcut: withCommand('V') },
    run: () => void pasteItems(folder),
  }
  const all = selectAll && {
    ...{ label: browseTexts.selectAll, icon: CheckCheck, shortcut: withCommand('A') },
    run: selectAll,
  }
  const toItems = [...(mayWrite && mayPaste(folder) ? [paste] : []), ...(all ? [all] : [])]
  const groups = [...(mayWrite ? additionsTo(folder, creation) : []), toItems]
  return groups.filter(({ length }) => length > 0)
}
