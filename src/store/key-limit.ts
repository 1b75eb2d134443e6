import type { Catalog } from '../catalog/open.ts'
import type { Work } from '../catalog/query.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { isTooLong, MAX_KEY_BYTES, MAX_NAME_BYTES } from '../platform/names.ts'
import type { MovePlan } from './plan.ts'

export const refuseTooLong = (what: string) =>
  refuseInvalid(`${what} would have more than ${MAX_KEY_BYTES} bytes: choose a shorter name or folder`)

/** Move of a file or folder from one key to another. */
type Moved = Pick<MovePlan, 'what' | 'id' | 'folders'> & Record<'from' | 'to', { key: string }>

/** @throws {Refusal} `invalid` when a key below the folder is too long once the folder is at `key`. */
export function* assertFitsBelow(
  { folders }: Pick<Catalog, 'folders'>,
  { id, key }: { id: string; key: string },
): Work<void> {
  const left = MAX_KEY_BYTES - Buffer.byteLength(key)
  if (left < 0 || (yield* folders.hasPathBelow(id, left, MAX_NAME_BYTES)))
    throw refuseTooLong('A key in the folder')
}

type KeyCatalog = Pick<Catalog, 'folders' | 'longestPathBelow' | 'hasPathBelow'>

/**
 * Enforces the maximum length of keys. Moving a folder lengthens every key below it. Instead of scanning
 * them, this keeps an upper bound on the longest folder key (updated on create and move) and scans only when
 * the bound cannot prove that they fit.
 */
export class KeyLimit {
  readonly #catalog: KeyCatalog
  /**
   * Upper bound on the length of folder keys in bytes. Computed when first needed, so a start does not wait
   * for it.
   */
  #bound = Infinity

  constructor(catalog: KeyCatalog) {
    this.#catalog = catalog
  }

  /** @throws {Refusal} `invalid` when the key of a file or folder to be made is too long. */
  admit({ folders, files }: { folders: readonly string[]; files: readonly { key: string }[] }): void {
    for (const { key } of files) if (isTooLong(key)) throw refuseTooLong('The key')
    for (const key of folders) {
      if (isTooLong(key)) throw refuseTooLong('The key')
      this.#bound = Math.max(this.#bound, Buffer.byteLength(key))
    }
  }

  /**
   * @throws {Refusal} `invalid` when the new key, or any key below it, is too long. A folder whose key does
   *   not grow may contain keys that are too long already.
   */
  async admitMove({ what, id, from, to, folders = [] }: Moved): Promise<void> {
    const growth = Buffer.byteLength(to.key) - Buffer.byteLength(from.key)
    const mayBeTooLong = what === 'file' || growth > 0
    this.admit({ folders, files: mayBeTooLong ? [to] : [] })
    if (mayBeTooLong && what === 'folder') await this.#admitBelow(id, to.key, growth)
  }

  /** @throws {Refusal} `invalid` when a key below the folder that returns to the tree at `key` is too long. */
  async admitReturn({ id, key }: { id: string; key: string }): Promise<void> {
    const left = MAX_KEY_BYTES - Buffer.byteLength(key)
    if (left < 0 || (await this.#catalog.hasPathBelow(id, left, MAX_NAME_BYTES)))
      throw refuseTooLong('A key in the folder')
    const longest = Buffer.byteLength(key) + (await this.#catalog.longestPathBelow(id))
    this.#bound = Math.max(this.#bound, longest)
  }

  /** Validates as `admitReturn` does, inside the caller's transaction: for a folder of few rows. */
  *admitSmallReturn({ id, key }: { id: string; key: string }): Work<void> {
    yield* assertFitsBelow(this.#catalog, { id, key })
    const longest = Buffer.byteLength(key) + (yield* this.#catalog.folders.longestPathBelow(id))
    this.#bound = Math.max(this.#bound, longest)
  }

  async #admitBelow(id: string, key: string, growth: number): Promise<void> {
    const safe = MAX_KEY_BYTES - MAX_NAME_BYTES - 1 - growth
    if (this.#bound > safe) {
      const root = await this.#catalog.folders.root()
      this.#bound = await this.#catalog.longestPathBelow(root)
    }
    const left = MAX_KEY_BYTES - Buffer.byteLength(key)
    if (this.#bound > safe && (await this.#catalog.hasPathBelow(id, left, MAX_NAME_BYTES)))
      throw refuseTooLong('A key in the folder')
    this.#bound += growth
  }
}
