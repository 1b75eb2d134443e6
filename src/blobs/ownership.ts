import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { S3Client } from '../s3/client.ts'
import { S3Error } from '../s3/error.ts'
import { bytesPayload } from '../s3/payload.ts'

/**
 * Time for which objects must have been ours before one is removed, in milliseconds. A server beside this one looks each
 * minute, and objects by then.
 */
const HOLD_MS = 5 * 60_000

/** Length of an owner's name. */
const NAME_LENGTH = 36
/** Name in the place of an owner when two servers use the objects. */
const CONTESTED = 'contested'.padEnd(NAME_LENGTH)

interface OwnershipOptions {
  client: S3Client
  /** Beginning of all keys. */
  prefix: string
  /** Id that ties the objects to their catalog. */
  volumeId: string
  /** UUID of this start. */
  owner: string
  clock: Clock
  log: Log
}

/**
 * Record in the object `owner` of which server may remove objects: the last to start, unless an earlier one still runs.
 * A copy of a data folder has the same rows, so each of the two would remove objects that the other needs.
 */
export class Ownership {
  readonly #options: OwnershipOptions
  readonly #key: string
  /** Monotonic time at which the objects became ours. */
  #since: number | undefined
  #isReported = false

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.#key = `${options.prefix}owner`
  }

  /** Records this server as the owner, unless its keys may only read. @throws {S3Error} */
  async take(): Promise<void> {
    try {
      await this.#write(this.#options.owner)
      this.#since = this.#options.clock.monotonic()
    } catch (error) {
      if (!(error instanceof S3Error) || error.kind !== 'refused') throw error
      this.#report('No object is removed: the object store refuses to store the object "owner"')
    }
  }

  /**
   * Returns true when this server alone uses the objects. Contests the objects of another server that started on them
   * since, so that neither removes any.
   */
  async isOurs(): Promise<boolean> {
    const { owner, volumeId, clock } = this.#options
    try {
      const found = await this.#read(this.#key, NAME_LENGTH)
      if (this.#since === undefined || found === undefined) {
        if ((await this.readVolumeId()) === volumeId) await this.take()
        return false
      }
      if (found === owner) return clock.monotonic() - this.#since >= HOLD_MS
      this.#report(
        'No object is removed: another server uses the objects of this one. Stop one of them, and restart the other',
      )
      if (found !== CONTESTED) await this.#write(CONTESTED)
      return false
    } catch (error) {
      // Objects cannot be removed now either.
      if (error instanceof S3Error && error.kind === 'away') return false
      throw error
    }
  }

  #report(message: string): void {
    if (!this.#isReported) this.#options.log.notice(message)
    this.#isReported = true
  }

  /** Returns the id of the catalog that the objects belong to; `undefined` when none claimed them. @throws {S3Error} */
  readVolumeId(): Promise<string | undefined> {
    const { prefix, volumeId } = this.#options
    // All ids have one length. A HEAD would not tell why it is refused.
    return this.#read(`${prefix}volume`, volumeId.length)
  }

  /** Claims the objects for the catalog. Returns false when another one did just now. @throws {S3Error} */
  claim(): Promise<boolean> {
    const { client, prefix, volumeId } = this.#options
    return client.put(`${prefix}volume`, payloadOf(volumeId), { ifAbsent: true })
  }

  async #read(key: string, length: number): Promise<string | undefined> {
    return this.#options.client.get(key, length, async (chunks) =>
      Buffer.concat(await Array.fromAsync(chunks)).toString(),
    )
  }

  async #write(name: string): Promise<void> {
    await this.#options.client.put(this.#key, payloadOf(name))
  }
}

const payloadOf = (text: string) => bytesPayload(new TextEncoder().encode(text))
