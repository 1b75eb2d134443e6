import type { Catalog } from '../catalog/open.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { isTooLong, MAX_KEY_BYTES, MAX_NAME_BYTES } from '../platform/names.ts'
import type { MovePlan } from './plan.ts'

const tooLong = (what: string) =>
  refuseInvalid(`${what} would have more than ${MAX_KEY_BYTES} bytes: choose a shorter name or folder`)

type KeyCatalog = Pick<Catalog, 'folders' | 'longestPathBelow' | 'hasPathBelow'>

/**
 * Keeps every key within the longest length. Of a folder that gets a longer key the keys below are not looked
 * at one by one: a bound for the keys of all folders nearly always tells that they fit. It is told of every
 * folder that is made or moves.
 */
export class KeyLimit {
  readonly #catalog: KeyCatalog
  /** No folder's key is longer, in bytes. Looked for when it first matters: a start does not wait for it. */
  #bound = Infinity

  constructor(catalog: KeyCatalog) {
    this.#catalog = catalog
  }

  /** @throws {Refusal} `invalid` when the key of a file or folder to be made is too long. */
  admit({ folders, files }: { folders: readonly string[]; files: readonly { key: string }[] }): void {
    for (const { key } of files) if (isTooLong(key)) throw tooLong('The key')
    for (const key of folders) {
      if (isTooLong(key)) throw tooLong('The key')
      this.#bound = Math.max(this.#bound, Buffer.byteLength(key))
    }
  }

  /**
   * @throws {Refusal} `invalid` when the new key is too long, or that of anything below would be. A folder
   *   whose key gets no longer may keep what is too long already.
   */
  async admitMove({ what, id, from, to, folders = [] }: MovePlan): Promise<void> {
    const growth = Buffer.byteLength(to.key) - Buffer.byteLength(from.key)
    const mayBeTooLong = what === 'file' || growth > 0
    this.admit({ folders, files: mayBeTooLong ? [to] : [] })
    if (mayBeTooLong && what === 'folder') await this.#admitBelow(id, to.key, growth)
  }

  async #admitBelow(id: string, key: string, growth: number): Promise<void> {
    const safe = MAX_KEY_BYTES - MAX_NAME_BYTES - 1 - growth
    if (this.#bound > safe) {
      const root = await this.#catalog.folders.root()
      this.#bound = await this.#catalog.longestPathBelow(root)
    }
    const left = MAX_KEY_BYTES - Buffer.byteLength(key)
    if (this.#bound > safe && (await this.#catalog.hasPathBelow(id, left, MAX_NAME_BYTES)))
      throw tooLong('A key in the folder')
    this.#bound += growth
  }
}
