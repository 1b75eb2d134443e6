import type { Visibility } from '../../client/index.ts'
import { createStore } from '../lib/store.ts'

/** File to upload. */
export interface Picked {
  file: File
  /** Path of its folder below the target. */
  folder: string
  /** Id of the file whose bytes it replaces. */
  replaces?: string
  /** Visibility of a new file; the instance's setting without it. */
  visibility?: Visibility | undefined
}

/** Files to upload, with their folders relative to the drop target. */
export interface Collected {
  files: Picked[]
  /** Folders without files, which no upload creates. */
  emptyFolders: string[]
}

export const LIMITS = {
  /** Names in one report of canceled uploads. */
  namesPerReport: 1000,
}

/** Returns the files of an input. For a folder it has the paths, but no empty folders. */
export const collectInput = (files: FileList): Collected => ({
  files: [...files].map((file) => ({ file, folder: parentOf(file.webkitRelativePath) })),
  emptyFolders: [],
})

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Returns what was dropped, folders with everything below them. Must be called during the drop event. */
export function collectDrop(transfer: DataTransfer): Promise<Collected> {
  // Items are emptied after the event; entries remain.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return collectEntries(entries)
}

async function collectEntries(entries: FileSystemEntry[]): Promise<Collected> {
  const collected: Collected = { files: [], emptyFolders: [] }
  const visit = async (entry: FileSystemEntry): Promise<void> => {
    const path = entry.fullPath.replace(/^\//, '')
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
      collected.files.push({ file, folder: parentOf(path) })
    } else if (isDirectory(entry)) {
      const children = await readAll(entry.createReader())
      if (children.length === 0) collected.emptyFolders.push(path)
      for (const child of children) await visit(child)
    }
  }
  for (const entry of entries) await visit(entry)
  return collected
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** Reads all entries. A reader returns a hundred at a time, and an empty list at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}

/** Returns the file under another name. */
export const withName = (file: File, name: string): File =>
  new File([file], name, { type: file.type, lastModified: file.lastModified })

/** Uploads of this page; undefined until their code is loaded. */
export const queue: { now?: { isUploading: () => boolean; cancelAll: () => void } } = {}

/** Object key of the folder that dropped files go to: the open one. */
export const uploadTarget = createStore('')

/** Visibility of files to upload until the page is left; undefined for the instance's setting. */
export const uploadVisibility = createStore<Visibility | undefined>(undefined)
