import { count } from '../../platform/amounts.ts'
import type { Clock } from '../../platform/clock.ts'
import { reasonOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Volume } from '../../volume/volume.ts'

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
    if (!this.#failure || this.#left.size === 0) return undefined
    return { count: this.#left.size, latest: this.#failure.at }
  }

  /** Removes the bytes under these ids, and all that are left. A failure is logged once per reason. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#left.add(id)
    const names = [...this.#left]
    if (names.length === 0) return
    const { volume } = this.#deps
    try {
      volume.assertPresent()
      await volume.versions.remove(names)
      for (const name of names) this.#left.delete(name)
      if (this.#left.size === 0) this.#failure = undefined
    } catch (error) {
      if (volume.isPresent())
        for (const name of names) if (!volume.versions.has(name)) this.#left.delete(name)
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    const { clock, log } = this.#deps
    const reason = reasonOf(error)
    if (reason !== this.#failure?.reason)
      log.error(
        `${count(this.#left.size, 'removed version')} in the folder "versions" could not be removed from the disk: check the ` +
          'owner, mode and attributes of the folder and its files; it is tried again each minute',
        error,
      )
    this.#failure = { reason, at: this.#failure?.at ?? clock.now() }
  }
}
