import { isOutOfSpace, isReadOnlyError } from '../platform/errors.ts'

/** File or directory whose changes can be made to survive a power cut. */
interface Syncable {
  sync: () => Promise<void>
}

/**
 * Reports a failed `fsync`. The kernel may drop the pages it could not write and report success for the next
 * `fsync`, so no later success can be trusted. A full or read-only disk is no such failure: what it refuses
 * is not acknowledged.
 */
export class Durability {
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void = () => {}) {
    this.#onFailure = onFailure
  }

  async sync(target: Syncable): Promise<void> {
    try {
      await target.sync()
    } catch (error) {
      if (!isOutOfSpace(error) && !isReadOnlyError(error)) this.#onFailure(error)
      throw error
    }
  }
}
