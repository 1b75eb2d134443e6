import { linkSync, lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs'
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode, refuseConflict } from '../platform/errors.ts'
import { joinKey } from '../platform/names.ts'
import {
  Directory,
  type FileIdentity,
  identityOf,
  kindOf,
  NoDirectory,
  openOrUndefined,
  unlinkKnown,
  withDirectory,
} from './directory.ts'
import type { Durability } from './disk.ts'

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
    const path = this.#inTree(key)
    const parent = openOrUndefined(dirname(path))
    if (!parent) return false
    try {
      const entry = parent.entry(basename(path))
      if (String(statOrUndefined(entry)?.ino) !== inode) return false
      renameSync(entry, this.#path(name))
      return true
    } finally {
      parent.close()
    }
  }

  /**
   * Moves the entry `name` to `key` without replacing anything.
   *
   * @throws {Refusal} `conflict` when something is at `key`.
   * @throws {NoDirectory} when its folder is missing.
   */
  put(name: string, key: string): void {
    const path = this.#inTree(key)
    const parent = Directory.open(dirname(path))
    try {
      const entry = parent.entry(basename(path))
      // rename(2) would replace an empty directory.
      if (statOrUndefined(entry)) throw refuseTaken(key)
      if (this.#statOf(name)?.isDirectory()) renameSync(this.#path(name), entry)
      else {
        linkSync(this.#path(name), entry)
        unlinkSync(this.#path(name))
      }
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? refuseTaken(key) : error
    } finally {
      parent.close()
    }
  }

  /**
   * Links a file that is set aside to `key` as well, without replacing anything.
   *
   * @throws {Refusal} `conflict` when something is at `key`.
   * @throws {NoDirectory} when its folder is missing.
   */
  link(name: string, key: string): void {
    const path = this.#inTree(key)
    const parent = Directory.open(dirname(path))
    try {
      linkSync(this.#path(name), parent.entry(basename(path)))
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? refuseTaken(key) : error
    } finally {
      parent.close()
    }
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
    await unlessNoDirectory(
      withDirectory(this.#path(name, below), async (directory) => {
        await Promise.all(names.map((file) => unlinkKnown(directory.entry(file)).catch(unlessGone)))
        await this.#durability.sync(directory)
      }),
    )
  }

  /** Purges the folder `below` an entry, durably, unless it has entries. */
  async removeFolder(name: string, below: string): Promise<void> {
    const path = this.#path(name, below)
    await unlessNoDirectory(
      withDirectory(dirname(path), async (parent) => {
        const entry = parent.entry(basename(path))
        if (kindOf(await lstat(entry)) !== 'directory') return
        await rmdir(entry).catch(unlessNotEmpty)
        await this.#durability.sync(parent)
      }).catch(unlessGone),
    )
  }

  #path(name: string, below = ''): string {
    return join(this.#folder, below === '' ? name : joinKey(name, below))
  }

  #inTree(key: string): string {
    return join(this.#uploads, key)
  }

  #statOf(name: string): Stats | undefined {
    return statOrUndefined(this.#path(name))
  }
}

const refuseTaken = (key: string) =>
  refuseConflict(`Something named "${basename(key)}" exists in this folder already`)

const statOrUndefined = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

function unless(codes: readonly string[]) {
  return (error: unknown): void => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
  }
}

const unlessGone = unless(['ENOENT'])
const unlessNotEmpty = unless(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

async function unlessNoDirectory(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof NoDirectory)) throw error
  }
}
