import type { Clock } from '../platform/clock.ts'
import { reasonOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Volume } from '../volume/volume.ts'

interface VersionBytesDeps {
  volume: Volume
  clock: Clock
  log: Log
}

/**
 * Bytes of versions whose rows are gone. The commit stands although the disk refuses to remove them, so they are
 * retried; the next start removes the rest.
 */
export class VersionBytes {
  readonly #deps: VersionBytesDeps
  readonly #left = new Set<string>()
  #failure: { reason: string; at: number } | undefined

  constructor(deps: VersionBytesDeps) {
    this.#deps = deps
  }

  /** Returns how many the disk refuses to remove, and since when; `undefined` for none. */
  summary(): { count: number; latest: number } | undefined {
    return this.#failure && { count: this.#left.size, latest: this.#failure.at }
  }

  /** Removes the bytes under these ids, and all that are left. A failure is logged once per reason. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#left.add(id)
    const names = [...this.#left]
    if (names.length === 0) return
    const { volume, clock, log } = this.#deps
    try {
      volume.assertPresent()
      await volume.versions.remove(names)
      for (const name of names) this.#left.delete(name)
      if (this.#left.size === 0) this.#failure = undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== this.#failure?.reason)
        log.error(
          `${names.length} removed version(s) in the folder "versions" could not be removed from the disk: check ` +
            'the owner, mode and attributes of the folder; it is tried again each minute',
          error,
        )
      this.#failure = { reason, at: this.#failure?.at ?? clock.now() }
    }
  }
}
