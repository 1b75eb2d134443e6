import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../../api/client.ts'
import {
  refreshFolders,
  renameFile,
  renameFolder,
  setFileVisibility,
  setFolderVisibility,
  type Visibility,
} from '../../api/files.ts'
import { noteAccess } from '../../api/query.ts'
import { useCan } from '../../api/session.ts'
import { toast } from '../../components/toast.tsx'
import { copyText } from '../../lib/copy.ts'
import { formatItems } from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import type { ItemActions } from './collection.tsx'
import { deleteSoon } from './deletes.ts'
import { countItems, type FileItem, type Item, isFile, isFolder, linkTo } from './items.ts'
import { moveInto } from './moving.ts'
import { useOpenFolder } from './view.ts'

/** What is open above the list, and for which items. */
export type Overlay =
  | { is: 'new-folder' }
  | { is: 'move' | 'delete'; items: Item[] }
  | { is: 'visibility'; items: Item[]; visibility: Visibility }
  | { is: 'share' | 'details' | 'preview'; file: FileItem }

/** Everything that can be done to the items of a folder. */
export interface FileCommands extends ItemActions {
  /** The item whose name is being changed. */
  renamingId: string | undefined
  endRename: (item: Item, name: string | undefined) => void
  show: (file: FileItem) => void
  share: (file: FileItem) => void
  copyLink: (file: FileItem) => void
  move: (items: Item[]) => void
  /** Moves without asking where to; not given to those who may not. */
  moveInto: ((items: Item[], folder: string) => void) | undefined
  setVisibility: (items: Item[], visibility: Visibility) => void
}

/** More than this is not deleted without a question, although it can be taken back for a moment. */
const UNASKED_DELETES = 10

export function useFileCommands(setOverlay: (overlay: Overlay) => void): FileCommands {
  const openFolder = useOpenFolder()
  const [mayWrite, mayDelete] = [useCan('files:write'), useCan('files:delete')]
  const [renamingId, setRenamingId] = useState<string>()
  const rename = useMutation({
    mutationFn: ({ item, name }: { item: Item; name: string }) =>
      isFile(item) ? renameFile(item.id, name) : renameFolder(item.id, name),
  })
  const move = useMutation({
    mutationFn: ({ items, folder }: { items: Item[]; folder: string }) => moveInto(items, folder),
  })
  return {
    renamingId,
    open: (item) => (isFile(item) ? setOverlay({ is: 'preview', file: item }) : openFolder(item.key)),
    rename: (item) => mayWrite && setRenamingId(item.id),
    endRename: (item, name) => {
      setRenamingId(undefined)
      if (name !== undefined) rename.mutate({ item, name })
    },
    remove: (items) => {
      if (!mayDelete) return
      const isAsked = items.some(isFolder) || items.length > UNASKED_DELETES
      if (isAsked) setOverlay({ is: 'delete', items })
      else deleteSoon(items)
    },
    show: (file) => setOverlay({ is: 'details', file }),
    share: (file) => setOverlay({ is: 'share', file }),
    copyLink: (file) => void copyLink(file, () => setOverlay({ is: 'share', file })),
    move: (items) => setOverlay({ is: 'move', items }),
    moveInto: mayWrite ? (items, folder) => move.mutate({ items, folder }) : undefined,
    setVisibility: (items, visibility) => {
      if (items.some(isFolder)) setOverlay({ is: 'visibility', items, visibility })
      else void applyVisibility(items, visibility)
    },
  }
}

/** A private file's plain link opens for members only, so a signed one is offered beside it. */
async function copyLink(file: FileItem, share: () => void): Promise<void> {
  try {
    await copyText(linkTo(file))
    if (file.visibility === 'public') toast.done(texts.files.linkCopied)
    else toast.done(texts.files.privateLinkCopied, { label: texts.files.share, run: share })
  } catch {
    toast.error(texts.errors.copy)
  }
}

/** Changes that are under way together. */
const AT_ONCE = 8

/** Changes each item that is not so already, until one cannot be changed; says once what became of all. */
export async function applyVisibility(items: readonly Item[], visibility: Visibility): Promise<void> {
  const change = (item: Item) =>
    isFile(item) ? setFileVisibility(item.id, visibility) : setFolderVisibility(item.id, visibility)
  const left = new Set(items.filter((item) => isFolder(item) || item.visibility !== visibility))
  const next = async (item: Item) => {
    await change(item)
    left.delete(item)
  }
  try {
    while (left.size > 0) await Promise.all([...left].slice(0, AT_ONCE).map(next))
    const what = formatItems(countItems(items))
    toast.done(texts.files.visibilitySet(what, texts.visibility[visibility].toLowerCase()))
  } catch (error) {
    noteAccess(error)
    toast.error(texts.files.visibilityFailed(left.size, explain(error)))
    await refreshFolders()
  }
}
