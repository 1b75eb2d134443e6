import type { Work } from '../../catalog/engine/query.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { Refusal, reasonOf, refuseInvalid } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Located, TreeDeps } from '../tree.ts'
import { assertRightOver, type Leaving, notInTrash, type Restored, type Swap } from './items.ts'
import { moveRowsFromTrash, moveRowsToTrash } from './rows.ts'

/** Steps of the trash that change rows and bytes together. */
export interface TrashSteps<Deps> {
  /** Returns false while nothing can be changed. */
  isPresent: (deps: Deps) => boolean
  /** Moves a file or folder to the trash, with the first of the rows below it. */
  put: (deps: Deps, find: () => Work<Leaving>, what: 'file' | 'folder') => Promise<TrashRow>
  /** Returns a file to the tree, or a folder whose rows are outside of the tree already. */
  giveBack: (deps: Deps, item: TrashRow) => Promise<Restored>
  /** @param item Item that takes the place, when its rows are outside the tree already. */
  swapFolders: (deps: Deps, swap: Swap, item: TrashRow | undefined) => Promise<Located<FolderRow>>
  purgeItem: (deps: Deps, item: TrashRow) => Promise<void>
}

/** Refusal of work on an item that this server or another one works on. */
class Busy extends Refusal {
  constructor() {
    super('unavailable', 'The item is still being moved or deleted, try again soon', {
      headers: { 'Retry-After': '1' },
    })
  }
}

/**
 * Deleted files and folders that can be restored. Their rows leave `files` and `folders`, so nothing that reads the
 * tree finds them. The rows of a folder move in slices, while it is outside the tree.
 */
export class Trash<Deps extends TreeDeps & { log: Log }> {
  /** Without a caller: for work that goes on after its request was authorized. */
  readonly #deps: Deps
  readonly #steps: TrashSteps<Deps>
  /** Items whose rows are being moved or removed. */
  readonly #busy = new Set<string>()
  /** Items that this server may hold although it does not work on them, because the database was away. */
  readonly #unreleased = new Set<string>()
  /** Reason of the last failure by item, so that each is logged once. */
  readonly #failures = new Map<string, string>()

  constructor(deps: Deps, steps: TrashSteps<Deps>) {
    this.#deps = deps
    this.#steps = steps
  }

  /** Moves a file to the trash. @throws {Refusal} as the step. */
  putFile(deps: Deps, find: () => Work<Leaving>): Promise<TrashRow> {
    return this.#steps.put(deps, find, 'file')
  }

  /** Moves a folder to the trash, with everything below it. @throws {Refusal} as the step. */
  async putFolder(deps: Deps, id: string, find: () => Work<Leaving>): Promise<TrashRow> {
    return this.#alone(id, async () => {
      const item = await this.#steps.put(deps, find, 'folder')
      await this.#attempt(id, () => moveRowsToTrash(this.#deps.catalog, id))
      return item
    })
  }

  /**
   * Returns a file or folder to the tree, with its id, visibility and times.
   *
   * @throws {Refusal} as the step, `unavailable` while it is still being moved to the trash.
   */
  restore(deps: Deps, id: string): Promise<Restored> {
    return this.#alone(id, async () => {
      const item = await this.#find(id)
      if (!item) throw notInTrash()
      const work = () => this.#steps.giveBack(deps, item)
      return item.kind === 'file' ? work() : this.#withRows(id, work)
    })
  }

  /**
   * Puts a folder of the tree or of the trash in the place of another, which goes to the trash.
   *
   * @throws {Refusal} as the step, `unavailable` while one of them is still being moved.
   */
  async swap(deps: Deps, swap: Swap): Promise<Located<FolderRow>> {
    const { id, replaces } = swap
    const exchange = async () => {
      const item = await this.#find(id)
      if (item?.kind === 'file') throw refuseInvalid('A file cannot replace a folder')
      const work = () => this.#steps.swapFolders(deps, swap, item)
      return item ? this.#withRows(id, work) : work()
    }
    return this.#alone(replaces, async () => {
      const folder = await (id === replaces ? exchange() : this.#alone(id, exchange))
      await this.#attempt(replaces, () => moveRowsToTrash(this.#deps.catalog, replaces))
      return folder
    })
  }

  /** Finds an item that can be restored. Call it alone with the item, which may come and go otherwise. */
  async #find(id: string): Promise<TrashRow | undefined> {
    const item = await this.#deps.catalog.trash.byId(id)
    if (item?.purging) throw notInTrash()
    return item
  }

  /** Runs `work` while the rows of a folder in the trash are outside. They return when it fails. */
  async #withRows<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    try {
      await moveRowsFromTrash(this.#deps.catalog, id)
      return await work()
    } catch (error) {
      // A failure is retried each minute.
      await moveRowsToTrash(this.#deps.catalog, id).catch(() => {})
      throw error
    }
  }

  /**
   * Removes an item for good.
   *
   * @throws {Refusal} `not-found`, `unavailable` while it is still being moved.
   */
  async purge(deps: Deps, id: string): Promise<void> {
    await this.#alone(id, async () => {
      const item = await deps.catalog.transactToFree(function* () {
        const found = yield* deps.catalog.trash.byId(id)
        if (found) yield* assertRightOver(deps, found, 'delete')
        if (found && !found.purging) yield* deps.catalog.trash.startPurge(id)
        return found
      })
      if (!item || item.purging) throw notInTrash()
      await this.#steps.purgeItem(this.#deps, item)
    })
  }

  /** Removes an item that is marked for removal already, unless that is under way. Failures are logged. */
  finishPurge(item: TrashRow): Promise<void> {
    return this.#retry(item.id, () => this.#steps.purgeItem(this.#deps, item))
  }

  /** Continues what an earlier process, or the disk, interrupted. Failures are logged. */
  async finish(): Promise<void> {
    const { catalog } = this.#deps
    if (!this.#steps.isPresent(this.#deps)) return
    for (const { id } of await catalog.folders.detached())
      if (await catalog.trash.byId(id)) await this.#retry(id, () => moveRowsToTrash(catalog, id))
    for (const item of await catalog.trash.purging()) await this.finishPurge(item)
  }

  /** Releases what other servers wait for in vain. */
  async releaseInterrupted(): Promise<void> {
    for (const id of this.#unreleased) await this.#retry(id, async () => {})
  }

  /** Continues work, unless it is under way. */
  async #retry(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#alone(id, () => this.#attempt(id, work))
    } catch (error) {
      if (!(error instanceof Busy)) throw error
    }
  }

  /** Continues what was committed. A failure is logged once per reason, and retried each minute. */
  async #attempt(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failures.delete(id)
    } catch (error) {
      const failure = reasonOf(error)
      if (this.#failures.get(id) !== failure) this.#deps.log.error('A change of the trash failed', error)
      this.#failures.set(id, failure)
    }
  }

  /** @throws {Refusal} `unavailable` while this server or another one works on the item. */
  async #alone<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#busy.has(id)) throw new Busy()
    this.#busy.add(id)
    try {
      return await this.#held(id, work)
    } finally {
      this.#busy.delete(id)
    }
  }

  async #held<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const { holds } = this.#deps.catalog
    if (!holds) return await work()
    try {
      if (!(await holds.take(id))) throw new Busy()
      return await work()
    } finally {
      this.#unreleased.add(id)
      await holds.release(id).then(
        () => this.#unreleased.delete(id),
        () => {},
      )
    }
  }
}
