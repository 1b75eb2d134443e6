import type { Catalog } from '../../catalog/catalog.ts'
import type { BlobRow } from '../../catalog/tree/blobs.ts'

/**
 * Inserts the rows of arriving blobs in groups: those that come while a group is inserted are the next one. PostgreSQL
 * would begin a transaction for each file of an archive.
 */
export class Arrivals {
  readonly #catalog: Pick<Catalog, 'blobs' | 'transact'>
  #waiting: BlobRow[] = []
  #next: Promise<void> | undefined
  #running = Promise.resolve()

  constructor(catalog: Pick<Catalog, 'blobs' | 'transact'>) {
    this.#catalog = catalog
  }

  /** Resolves once the row is committed. */
  insert(row: BlobRow): Promise<void> {
    this.#waiting.push(row)
    this.#next ??= this.#running.then(
      () => this.#insertWaiting(),
      () => this.#insertWaiting(),
    )
    return this.#next
  }

  #insertWaiting(): Promise<void> {
    const rows = this.#waiting
    this.#waiting = []
    this.#next = undefined
    this.#running = this.#catalog.transact(() => this.#catalog.blobs.insertAll(rows))
    return this.#running
  }
}
