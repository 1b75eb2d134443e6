import { linkSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { link, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { refuseConflict } from '../platform/errors.ts'
import { kindOf } from '../platform/listing.ts'
import {
  type FileIdentity,
  identityOf,
  inParent,
  sameFile,
  statOf,
  unlessGone,
  withDirectory,
} from './directory.ts'
import type { Durability } from './disk.ts'
import type { VolumePaths } from './layout.ts'
import { StoredFile } from './stored-file.ts'

/** Ending of the name of new bytes that wait for the commit of their replacement. */
const NEW = '.new'

/** True for an id that stays in the folder as a name: a tampered catalog may hold any. */
export const isVersionId = (id: string): boolean => /^(?!\.{0,2}$)[^/\0]+$/.test(id)

/** Replacement of the bytes at a key. */
export interface Swap {
  /** Name of the old bytes in `versions/`. */
  version: string
  key: string
  /** Identity of the bytes at `key`; null when there are none. */
  old: FileIdentity | null
  new: FileIdentity
  /** Key that the new bytes leave; missing for staged ones. */
  from?: string | undefined
}

/**
 * Bytes that other bytes replaced, each under the id of a version, outside of the tree. New bytes wait here for
 * their commit, so one fsync of this folder makes both names durable.
 */
export class Versions {
  readonly #paths: VolumePaths
  readonly #durability: Durability

  constructor(paths: VolumePaths, durability: Durability) {
    this.#paths = paths
    this.#durability = durability
  }

  /** Opens the bytes of a version; `undefined` when they are missing. */
  open(version: string): StoredFile | undefined {
    return StoredFile.open(this.#path(version))
  }

  /** True when there are bytes under the name of a version, or new bytes that wait there. */
  has(version: string): boolean {
    return [version, version + NEW].some((name) => statOf(join(this.#paths.versions, name)) !== undefined)
  }

  /** Returns the names in the folder: ids of versions, and of replacements that are not finished. */
  names(): string[] {
    return readdirSync(this.#paths.versions).map((name) =>
      name.endsWith(NEW) ? name.slice(0, -NEW.length) : name,
    )
  }

  /**
   * Links the old bytes and the new ones into `versions/`, durably.
   *
   * @param stagedPath Path of the new bytes, unless they are those of a file.
   * @throws {Refusal} `conflict` when something else is at a key by now.
   */
  async prepare({ version, key, old, new: next, from }: Swap, stagedPath = ''): Promise<void> {
    await withDirectory(this.#paths.versions, async (folder) => {
      const take = async (key: string, name: string, identity: FileIdentity) => {
        await withDirectory(dirname(this.#inTree(key)), (parent) =>
          link(parent.entry(basename(key)), folder.entry(name)),
        )
        if (!isAt(folder.entry(name), identity)) throw refuseEdited(key)
      }
      if (from === undefined) await link(stagedPath, folder.entry(version + NEW))
      else await take(from, version + NEW, next)
      if (old) await take(key, version, old)
      await this.#durability.sync(folder)
    })
  }

  /**
   * Puts the new bytes at the key by one `rename(2)`, synchronously: nothing runs between this and the caller's
   * next step. Idempotent.
   *
   * @throws {Refusal} `conflict` when something else is at the key.
   */
  swap({ version, key, old, new: identity }: Swap): void {
    const isThere = inParent(this.#inTree(key), (entry) => {
      if (isAt(entry, identity)) return true
      if (old ? !isAt(entry, old) : statOf(entry)) throw refuseEdited(key)
      if (old) renameSync(this.#path(version + NEW), entry)
      else {
        linkSync(this.#path(version + NEW), entry)
        unlinkSync(this.#path(version + NEW))
      }
      return true
    })
    if (!isThere) throw refuseEdited(key)
  }

  /** Links staged files into the folder under the ids of their versions, durably. */
  async add(files: readonly { version: string; stagedPath: string }[]): Promise<void> {
    await withDirectory(this.#paths.versions, async (folder) => {
      for (const { version, stagedPath } of files) await link(stagedPath, folder.entry(version))
      await this.#durability.sync(folder)
    })
  }

  /** Puts the new bytes of a committed replacement at the key if a power cut lost that. */
  redo({ version, key, old, new: identity }: Swap): void {
    inParent(this.#inTree(key), (entry) => {
      const isLost = !statOf(entry) || (old !== null && isAt(entry, old))
      if (isLost && isAt(this.#path(version + NEW), identity)) renameSync(this.#path(version + NEW), entry)
    })
  }

  /** Puts the old bytes back at the key if the new ones are there. */
  undo({ version, key, old, new: identity }: Swap): void {
    inParent(this.#inTree(key), (entry) => {
      if (!isAt(entry, identity)) return
      if (!old) return unlinkSync(entry)
      if (isAt(this.#path(version), old)) renameSync(this.#path(version), entry)
    })
  }

  /**
   * Removes versions that exist, and new bytes that wait under their names.
   *
   * @throws the first refusal of the disk, after all others are removed.
   */
  async remove(versions: readonly string[]): Promise<void> {
    if (versions.length === 0) return
    let refusal: { error: unknown } | undefined
    await withDirectory(this.#paths.versions, async (folder) => {
      for (const name of versions.flatMap((version) => [version, version + NEW]))
        await unlink(folder.entry(name))
          .catch(unlessGone)
          .catch((error: unknown) => {
            refusal ??= { error }
          })
      await this.#durability.sync(folder)
    })
    if (refusal) throw refusal.error
  }

  /** Removes new bytes that wait under the name of a version, if there are any. */
  async removeNew(version: string): Promise<void> {
    await unlink(this.#path(version + NEW)).catch(unlessGone)
  }

  #path(name: string): string {
    if (!isVersionId(name.replace(/\.new$/, ''))) throw new Error('The name of a version is not allowed')
    return join(this.#paths.versions, name)
  }

  #inTree(key: string): string {
    return join(this.#paths.uploads, key)
  }
}

const refuseEdited = (key: string) =>
  refuseConflict(`Something that Holdfast does not know is at "${key}" on the volume`)

function isAt(path: string, identity: FileIdentity): boolean {
  const stat = statOf(path)
  return stat !== undefined && kindOf(stat) === 'file' && sameFile(identityOf(stat), identity)
}
