import { useEffect, useRef } from 'react'
import { readReach } from '../../api/reach.ts'
import { copyText } from '../../components/fields/copy-field.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { formatItems } from '../../lib/format.ts'
import { linkTo, parentKey } from '../../lib/paths.ts'
import { isClaimed } from '../../lib/shortcut.ts'
import { useStore } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { withName } from '../../uploads/collect.ts'
import { addUploads } from '../../uploads/start.ts'
import { copyItems, moveItems } from './bulk.ts'
import { countItems, held, type Item, isFile } from './items.ts'

/** Returns true for an item that is cut, until it is pasted. */
export const useIsCut = ({ id }: Item): boolean => {
  const now = useStore(held)
  return now?.isCut === true && now.items.some((item) => item.id === id)
}

const textOf = (items: readonly Item[]) =>
  items.map((item) => (isFile(item) ? linkTo(item) : item.name)).join('\n')

/** Id of the message about the held items. */
let message = 0

function hold(items: Item[], isCut: boolean): string {
  const text = textOf(items)
  held.set(() => ({ items, isCut, text }))
  const what = formatItems(countItems(items))
  toast.close(message)
  message = toast.done(browseTexts.clipboard[isCut ? 'cut' : 'copied'](what))
  return text
}

/** Holds items until they are pasted. Links to the files go to the system's clipboard. */
export function holdItems(items: Item[], isCut: boolean): void {
  // Without the system's clipboard the menu still pastes.
  copyText(hold(items, isCut)).catch(() => {})
}

/** Moves or copies the held items into the folder at an object key. */
export async function pasteItems(folder: string): Promise<void> {
  const now = held.get()
  if (!now) return
  const moved = now.items.filter(comesFromElsewhere(folder))
  if (now.isCut && moved.length === 0) return
  toast.close(message)
  if (!now.isCut) return copyItems(now.items, folder)
  held.set(() => undefined)
  await moveItems(moved, folder)
}

const comesFromElsewhere =
  (folder: string) =>
  ({ key }: Item) =>
    parentKey(key) !== folder

/** Returns true if items are held that may be pasted into a folder to which the account may write. */
export function mayPaste(folder: string): boolean {
  const now = held.get()
  const { missingToMove } = readReach()
  const mayMove = ({ key }: Item) => missingToMove(parentKey(key), folder) === undefined
  return now !== undefined && (!now.isCut || now.items.every(mayMove))
}

/** Returns true while items of another folder are held, to be pasted into `folder`. */
export const useCanPaste = (folder: string): boolean =>
  useStore(held)?.items.some(comesFromElsewhere(folder)) === true && mayPaste(folder)

interface ClipboardOptions {
  folder: string
  selected: Item[]
  /** True if the account may change the folder. */
  mayWrite: boolean
  mayCopy: boolean
}

/** Listens to the system's copy, cut and paste. Pasted files are uploaded into the folder. */
export function useClipboard(options: ClipboardOptions): void {
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    const listeners = new AbortController()
    const take = (event: ClipboardEvent, isCut: boolean) => {
      const { selected, mayWrite, mayCopy } = latest.current
      const hasText = document.getSelection()?.isCollapsed === false
      const may = isCut ? mayWrite : mayCopy
      if (selected.length === 0 || !may || hasText || isClaimed(event)) return
      event.preventDefault()
      event.clipboardData?.setData('text/plain', hold(selected, isCut))
    }
    const paste = (event: ClipboardEvent) => {
      const { folder, mayWrite } = latest.current
      if (!mayWrite || isClaimed(event) || !event.clipboardData) return
      const files = filesOf(event.clipboardData)
      // Windows has line ends of its own.
      const text = event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n')
      if (files.length > 0) void addUploads({ files, emptyFolders: [] }, folder)
      else if (text === held.get()?.text && mayPaste(folder)) void pasteItems(folder)
    }
    const { signal } = listeners
    document.addEventListener('copy', (event) => take(event, false), { signal })
    document.addEventListener('cut', (event) => take(event, true), { signal })
    document.addEventListener('paste', paste, { signal })
    return () => listeners.abort()
  }, [])
}

/** Name that browsers give to each picture of the clipboard. */
const GENERIC = /^image\.(\w+)$/

/** Returns the files on the clipboard. A picture without a name gets one with the time. */
const filesOf = ({ files }: DataTransfer) =>
  [...files].map((file) => {
    const [, extension] = GENERIC.exec(file.name) ?? []
    const name = browseTexts.clipboard.picture(new Date(), extension ?? '')
    return { file: extension === undefined ? file : withName(file, name), folder: '' }
  })
