import { isOutOfSpace, isReadOnlyError } from '../platform/errors.ts'

/** A file or directory whose changes can be made to survive a power cut. */
interface Syncable {
  sync: () => Promise<void>
}

/**
 * Reports a failed `fsync`. The kernel may drop the pages that it could not write, and call the next `fsync` of them a
 * success: after the first failure no later success can be believed. A full or read-only disk is no such failure:
 * it refuses, and what it refuses is not acknowledged.
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
