import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { hasStatus } from '../../api/client.ts'
import { hideItems, renameFile, renameFolder, showItems, type Visibility } from '../../api/files.ts'
import { useMayWriteIn, useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import { isTrashLikely, isTrashOn } from '../../api/trash.ts'
import { forgetUndo, offerUndo } from '../../bulk/job.ts'
import { moveToTrash } from '../../bulk/trash.ts'
import { copyText } from '../../components/fields/copy-field.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { extensionOf } from '../../lib/format.ts'
import { linkTo, parentKey } from '../../lib/paths.ts'
import type { Access } from '../../shares/rules.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { addReplacement } from '../../uploads/start.ts'
import { moveItems, setVisibility } from './bulk.ts'
import { toggleFavorites } from './favorites.tsx'
import { type FileItem, type FolderItem, type Item, isFile, isFolder, releaseCut } from './items.ts'
import type { ItemActions } from './list/rubber-band.ts'
import { useOpenPreview } from './preview/address.ts'
import { useOpenFolder } from './view.ts'

/** Dialog above the list, with its items. */
export type Overlay =
  | { is: 'new-folder' | 'new-file' | 'help' }
  | { is: 'move' | 'delete'; items: Item[] }
  | { is: 'visibility'; items: Item[]; visibility: Visibility }
  | { is: 'api-key' | 'people' | 'site'; folder: FolderItem }
  | { is: 'share'; items: Item[]; access?: Access }
  | { is: 'details'; file: FileItem }
  | { is: 'extension'; file: FileItem; name: string }

/** Actions on the items of a folder. */
export interface FileCommands extends ItemActions {
  /** Id of the item that is being renamed. */
  renamingId: string | undefined
  /** Name that was refused for it, to be corrected. */
  refusedName: string | undefined
  endRename: (item: Item, name: string | undefined) => void
  /** Renames without a question about the extension. */
  renameTo: (item: Item, name: string) => void
  show: (file: FileItem) => void
  share: (items: Item[]) => void
  /** Shares a folder as a drop box. */
  requestFiles: (folder: FolderItem) => void
  /** Shows the accounts that were let into a folder. */
  showPeople: (folder: FolderItem) => void
  /** Shows the website of a folder. */
  showSite: (folder: FolderItem) => void
  /** Makes an API key for a folder. */
  makeKey: (folder: FolderItem) => void
  /** Asks for a file and uploads it in place of this one. */
  replace: (file: FileItem) => void
  copyLink: (file: FileItem) => void
  move: (items: Item[]) => void
  /** Moves without a dialog. Undefined without permission. */
  moveInto: ((items: Item[], folder: string) => void) | undefined
  /** Returns true if items can move into the folder at an object key. */
  mayMoveTo: (folder: string) => boolean
  /** Returns true if files can be added to the folder at an object key. */
  mayAddTo: (folder: string) => boolean
  /** True if items can be deleted. */
  mayRemove: boolean
  setVisibility: (items: Item[], visibility: Visibility) => void
}

/** @param folder Object key of the folder with the items. */
export function useFileCommands(folder: string, setOverlay: (overlay: Overlay) => void): FileCommands {
  const openFolder = useOpenFolder()
  const openPreview = useOpenPreview()
  const mayAddTo = useMayWriteIn()
  const reach = useReach()
  const mayWrite = mayAddTo(folder)
  const mayDelete = useCan('files:delete') && reach.may('delete', folder)
  const [renaming, setRenaming] = useState<{ id: string; refusedName?: string }>()
  const rename = useMutation({
    mutationFn: ({ item, name }: { item: Item; name: string }): Promise<unknown> =>
      isFile(item) ? renameFile(item.id, name) : renameFolder(item.id, name),
    onSuccess: (_data, { item, name }) => {
      if (isFolder(item)) releaseCut([item])
      if (name === item.name) toast.done(browseTexts.renamedBack(name))
      else offerUndo(browseTexts.renamed(name), () => rename.mutate({ item, name: item.name }))
    },
    onError: (error, { item, name }) => {
      if (hasStatus(error, 400, 409) && name !== item.name) setRenaming({ id: item.id, refusedName: name })
    },
  })
  const remove = async (items: Item[]) => {
    forgetUndo()
    if (isTrashLikely()) hideItems(items)
    // Without a response the move to the trash reports the reason.
    if (await isTrashOn().catch(() => true)) await moveToTrash(items.map(trashable), { mayUndo: mayWrite })
    else setOverlay({ is: 'delete', items })
    showItems(items)
  }
  return {
    renamingId: renaming?.id,
    refusedName: renaming?.refusedName,
    open: (item) => (isFile(item) ? openPreview(item.id) : openFolder(item.key)),
    rename: (item) => mayWrite && setRenaming({ id: item.id }),
    endRename: (item, name) => {
      setRenaming(undefined)
      if (name === undefined) return
      if (!isFile(item) || extensionOf(name) === extensionOf(item.name)) rename.mutate({ item, name })
      else setOverlay({ is: 'extension', file: item, name })
    },
    renameTo: (item, name) => rename.mutate({ item, name }),
    remove: (items) => mayDelete && void remove(items),
    removeForGood: (items) => mayDelete && setOverlay({ is: 'delete', items }),
    star: (items) => void toggleFavorites(items),
    show: (file) => setOverlay({ is: 'details', file }),
    share: (items) => setOverlay({ is: 'share', items }),
    requestFiles: (folder) => setOverlay({ is: 'share', items: [folder], access: 'write' }),
    showPeople: (folder) => setOverlay({ is: 'people', folder }),
    showSite: (folder) => setOverlay({ is: 'site', folder }),
    makeKey: (folder) => setOverlay({ is: 'api-key', folder }),
    replace: pickReplacement,
    copyLink: (file) => void copyLink(file, () => setOverlay({ is: 'share', items: [file] })),
    move: (items) => setOverlay({ is: 'move', items }),
    mayRemove: mayDelete,
    mayAddTo,
    mayMoveTo: (target) => reach.missingToMove(folder, target) === undefined,
    moveInto: mayWrite ? (items, folder) => void moveItems(items, folder) : undefined,
    setVisibility: (items, visibility) => {
      if (items.some(isFolder)) setOverlay({ is: 'visibility', items, visibility })
      else void setVisibility(items, visibility)
    },
  }
}

/** Opens the browser's file picker and uploads the chosen file in place of `file`. */
function pickReplacement(file: FileItem): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.onchange = () => {
    const [picked] = input.files ?? []
    if (picked) void addReplacement(file, parentKey(file.key), picked)
  }
  input.click()
}

const trashable = (row: Item) => ({ id: row.id, kind: row.is, name: row.name, row })

/** Copies a file's link. A private file's link opens only for users, so the message offers to share it. */
async function copyLink(file: FileItem, share: () => void): Promise<void> {
  try {
    await copyText(linkTo(file))
    if (file.visibility === 'public') toast.done(texts.files.linkCopied)
    else toast.done(texts.files.privateLinkCopied, { label: texts.files.share, run: share })
  } catch {
    toast.error(texts.errors.copy)
  }
}
