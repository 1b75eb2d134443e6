import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { link, mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../platform/errors.ts'
import { Aside } from './aside.ts'
import { type Entry, type FileIdentity, listEntries, NoDirectory, withDirectory } from './directory.ts'
import type { Durability } from './disk.ts'
import type { VolumePaths } from './layout.ts'
import { FOLDER_MODE } from './privacy.ts'
import { StoredFile } from './stored-file.ts'

interface Additions {
  folders: readonly string[]
  files: readonly { name: string; stagedPath: string }[]
}

/**
 * Deleted files and folders under `trash/`, each in a folder that is named after the time of its deletion, under
 * its own name. A name here is `<folder>/<name>`.
 */
export class TrashFolder extends Aside {
  readonly #root: string
  readonly #durability: Durability

  constructor({ uploads, trash }: Pick<VolumePaths, 'uploads' | 'trash'>, durability: Durability) {
    super(uploads, trash, durability)
    this.#root = trash
    this.#durability = durability
  }

  /** Returns an unused folder: the time in UTC, with a number when it is taken. */
  newEntry(now: number): string {
    const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
    for (let number = 1; ; number++) {
      const entry = number === 1 ? time : `${time} ${number}`
      if (!lstatSync(join(this.#root, entry), { throwIfNoEntry: false })) return entry
    }
  }

  override take(key: string, name: string, identity: Pick<FileIdentity, 'inode'>): boolean {
    const folder = this.#folderOf(name)
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    let isTaken = false
    try {
      isTaken = super.take(key, name, identity)
    } finally {
      if (!isTaken) removeEmpty(folder)
    }
    return isTaken
  }

  /** Makes changes at `name` survive a power cut, and removes its folder when nothing is left in it. */
  finish(name: string): Promise<void> {
    return this.tidy(dirname(name))
  }

  /** Makes changes in the folder `entry` survive a power cut, and removes it when nothing is left in it. */
  async tidy(entry: string): Promise<void> {
    const folder = join(this.#root, entry)
    // Another request may be finishing an item of the same folder.
    if (isEmpty(folder)) await rmdir(folder).catch(unlessChanged)
    await withDirectory(folder, (directory) => this.#durability.sync(directory)).catch(unlessNoDirectory)
    await withDirectory(this.#root, (directory) => this.#durability.sync(directory))
  }

  /** Opens a file by its path below `trash/`; `undefined` when no regular file is there. */
  openFile(path: string): StoredFile | undefined {
    return StoredFile.open(join(this.#root, path))
  }

  /** Returns the names of the folders that hold items. */
  entries(): string[] {
    return existsSync(this.#root) ? readdirSync(this.#root).sort() : []
  }

  /** Returns the entries of a directory by its path below `trash/`; `undefined` when it is none. */
  list(path: string): Promise<Entry[] | undefined> {
    return listEntries(join(this.#root, path))
  }

  /** Adds directories and staged files to the directory at `path` below `trash/`, durably. */
  add(path: string, { folders, files }: Additions): Promise<void> {
    return withDirectory(path === '' ? this.#root : join(this.#root, path), async (directory) => {
      for (const name of folders) await mkdir(directory.entry(name), FOLDER_MODE)
      for (const { name, stagedPath } of files) await link(stagedPath, directory.entry(name))
      await this.#durability.sync(directory)
    })
  }

  #folderOf(name: string): string {
    return dirname(join(this.#root, name))
  }
}

/** Removes a folder that is empty, unless the disk refuses that. */
function removeEmpty(folder: string): void {
  try {
    if (isEmpty(folder)) rmdirSync(folder)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

/**
 * True for a folder without entries, false for one that is gone. A disk that allows no change refuses to remove a
 * folder, whatever it holds.
 */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

function unlessChanged(error: unknown): void {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
}

function unlessNoDirectory(error: unknown): void {
  if (!(error instanceof NoDirectory)) throw error
}
