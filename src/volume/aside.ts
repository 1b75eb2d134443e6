import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { link, lstat, mkdir, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode, Refusal } from '../platform/errors.ts'
import { type Entry, entriesOf, kindOf } from '../platform/listing.ts'
import { joinKey } from '../platform/names.ts'
import {
  type FileIdentity,
  identityOf,
  inParent,
  listEntries,
  NoDirectory,
  statOf,
  unless,
  unlessGone,
  unlinkKnown,
  withDirectory,
} from './directory.ts'
import type { Durability } from './disk.ts'
import { FOLDER_MODE, type VolumePaths } from './layout.ts'
import { StoredFile } from './stored-file.ts'

/**
 * Random bytes of a name. As text they take one character more, so `tmp/<name>` is no longer than
 * `uploads/x`.
 */
const NAME_BYTES = 3

/**
 * Entries that one `rename(2)` moved out of the tree to a short name in staging. They wait there for the
 * commit that makes this final, and then for their purge. The synchronous calls run in the same turn as that
 * commit, so no request sees the row without its bytes. Paths here are never longer than in the tree.
 */
export class Aside {
  readonly #uploads: string
  readonly #folder: string
  readonly #durability: Durability

  /** @param folder Folder of the names: staging, or the trash. */
  constructor(uploads: string, folder: string, durability: Durability) {
    this.#uploads = uploads
    this.#folder = folder
    this.#durability = durability
  }

  /** Returns an unused name. */
  newName(randomBytes: (count: number) => Uint8Array): string {
    for (;;) {
      const name = `d${Buffer.from(randomBytes(NAME_BYTES)).toString('base64url')}`
      if (!this.#statOf(name)) return name
    }
  }

  /** Returns the identity of the entry `name`; `undefined` when there is none. */
  identify(name: string): FileIdentity | undefined {
    const stat = this.#statOf(name)
    return stat && identityOf(stat)
  }

  /**
   * Moves the entry at `key` out of the tree if its inode is the known one. Idempotent.
   *
   * @returns True when it is set aside now.
   */
  take(key: string, name: string, { inode }: Pick<FileIdentity, 'inode'>): boolean {
    if (this.#statOf(name)) return true
    const isTaken = inParent(this.#inTree(key), (entry) => {
      if (String(statOf(entry)?.ino) !== inode) return false
      renameSync(entry, this.#path(name))
      return true
    })
    return isTaken ?? false
  }

  /**
   * Moves the entry `name` to `key` without replacing anything.
   *
   * @throws {Refusal} `conflict` when something is at `key`.
   * @throws {NoDirectory} when its folder is missing.
   */
  put(name: string, key: string): void {
    this.#at(key, (entry) => {
      // rename(2) would replace an empty directory.
      if (statOf(entry)) throw refuseTaken(key)
      if (this.#statOf(name)?.isDirectory()) renameSync(this.#path(name), entry)
      else {
        linkSync(this.#path(name), entry)
        unlinkSync(this.#path(name))
      }
    })
  }

  /**
   * Links a file that is set aside to `key` as well, without replacing anything.
   *
   * @throws {Refusal} `conflict` when something is at `key`.
   * @throws {NoDirectory} when its folder is missing.
   */
  link(name: string, key: string): void {
    this.#at(key, (entry) => linkSync(this.#path(name), entry))
  }

  /** Purges a file if it exists. */
  async remove(name: string): Promise<void> {
    await unlink(this.#path(name)).catch(unlessGone)
  }

  /**
   * Purges files from the folder `below` an entry, durably. Entries that are not regular files stay.
   *
   * @param below Path from the entry to the folder; empty for the entry itself.
   */
  async removeFiles(name: string, below: string, names: readonly string[]): Promise<void> {
    await withDirectory(this.#path(name, below), async (directory) => {
      await Promise.all(names.map((file) => unlinkKnown(directory.entry(file)).catch(unlessGone)))
      await this.#durability.sync(directory)
    }).catch(unlessNoDirectory)
  }

  /** Purges the folder `below` an entry, durably, unless it has entries. */
  async removeFolder(name: string, below: string): Promise<void> {
    const path = this.#path(name, below)
    await withDirectory(dirname(path), async (parent) => {
      const entry = parent.entry(basename(path))
      if (kindOf(await lstat(entry)) !== 'directory') return
      await rmdir(entry).catch(unlessNotEmpty)
      await this.#durability.sync(parent)
    })
      .catch(unlessGone)
      .catch(unlessNoDirectory)
  }

  /** Runs `work` with a path to the entry at `key`. @throws as `put`. */
  #at(key: string, work: (entry: string) => void): void {
    try {
      const isThere = inParent(this.#inTree(key), (entry) => {
        work(entry)
        return true
      })
      if (!isThere) throw new NoDirectory()
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? refuseTaken(key) : error
    }
  }

  #path(name: string, below = ''): string {
    return join(this.#folder, below === '' ? name : joinKey(name, below))
  }

  #inTree(key: string): string {
    return join(this.#uploads, key)
  }

  #statOf(name: string): Stats | undefined {
    return statOf(this.#path(name))
  }
}

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
      if (!statOf(join(this.#root, entry))) return entry
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
    if (isEmpty(folder)) await rmdir(folder).catch(unlessNotEmpty)
    await withDirectory(folder, (directory) => this.#durability.sync(directory)).catch(unlessNoDirectory)
    await withDirectory(this.#root, (directory) => this.#durability.sync(directory))
  }

  /** Makes changes of the entry `name` survive a power cut, in a folder that stays, whatever is left in it. */
  async syncParent(name: string): Promise<void> {
    await withDirectory(this.#folderOf(name), (directory) => this.#durability.sync(directory)).catch(
      unlessNoDirectory,
    )
  }

  /** Opens a file by its path below `trash/`; `undefined` when no regular file is there. */
  openFile(path: string): StoredFile | undefined {
    return StoredFile.open(join(this.#root, path))
  }

  /** Returns the folders that hold items, and what else is beside them. */
  entries(): Entry[] {
    return existsSync(this.#root) ? entriesOf(this.#root) : []
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

const refuseTaken = (key: string) =>
  new Refusal('name-taken', `Something named "${basename(key)}" exists in this folder already`)

const unlessNotEmpty = unless(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

function unlessNoDirectory(error: unknown): void {
  if (!(error instanceof NoDirectory)) throw error
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
