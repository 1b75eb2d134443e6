import { closeSync, openSync, rmSync, type StatsFs, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isOutOfSpace, isReadOnlyError, refuseForNow, refuseNoSpace } from '../platform/errors.ts'
import { MARKER, readMarker, type VolumePaths } from './layout.ts'

/** Reads the marker of the volume before each change: the file is read again only when `stat` shows another. */
export class Marker {
  readonly #paths: VolumePaths
  #seen = ''
  #id: string | undefined

  constructor(paths: VolumePaths) {
    this.#paths = paths
  }

  /** @throws {Refusal} `unavailable` when the marker has another id, is missing or cannot be read. */
  assertIs(id: string): void {
    let isThere = false
    try {
      const stat = statSync(join(this.#paths.uploads, MARKER), { throwIfNoEntry: false })
      const seen = stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`
      if (seen !== undefined && seen !== this.#seen) {
        this.#id = readMarker(this.#paths)
        this.#seen = seen
      }
      isThere = seen !== undefined && this.#id === id
    } catch (error) {
      throw refuseForNow('The folder of stored files cannot be read', error)
    }
    if (!isThere)
      throw refuseForNow('The folder of stored files is not there: is its volume mounted?', undefined)
  }
}

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

const MiB = 1024 ** 2
/** Bytes written between two checks of the free space. */
const CLAIM_BYTES = 16 * MiB

/** Free and total bytes, as an unprivileged user sees them. */
interface Space {
  available: number
  capacity: number
}

type Statfs = Pick<StatsFs, 'bavail' | 'bfree' | 'blocks' | 'bsize'>

/**
 * Returns the free bytes that uploads must leave: 64 MiB or a hundredth, whichever is more, but never more
 * than a tenth, so that a very small volume stays usable.
 */
const freeBytes = (capacity: number) => Math.min(Math.max(64 * MiB, capacity / 100), capacity / 10)

/** Converts the result of statfs(2), without the blocks reserved for root. */
export const toSpace = ({ bavail, bfree, blocks, bsize }: Statfs): Space => ({
  available: bavail * bsize,
  capacity: (blocks - bfree + bavail) * bsize,
})

/** Returns the space of the volume that `path` is on. */
export function spaceOf(path: string) {
  const space = () => toSpace(statfsSync(path))

  /** Refuses when writing `bytes` more would eat into the space that uploads must leave. */
  function assertRoom(bytes: number): void {
    const { available, capacity } = space()
    if (available - bytes < freeBytes(capacity)) throw refuseNoSpace()
  }

  /** Creates a counter of bytes to write that checks the free space now and then. */
  function createClaim(): (bytes: number) => void {
    let unchecked = CLAIM_BYTES
    return (bytes) => {
      unchecked += bytes
      if (unchecked < CLAIM_BYTES) return
      unchecked = 0
      assertRoom(bytes)
    }
  }

  /** Returns how many bytes must be freed so that `bytes` more do not make the volume short; at most 0 for none. */
  function lacking(bytes: number): number {
    const { available, capacity } = space()
    return 2 * freeBytes(capacity) + bytes - available
  }

  /** True when uploads are refused, or soon will be. */
  const isShort = (): boolean => lacking(0) > 0

  return { space, isShort, lacking, assertRoom, createClaim }
}

const RESERVE_CHUNK_BYTES = 64 * 1024
/** Delay before the next try when there was too little space, in milliseconds. */
const RETRY_MS = 10_000

interface ReserveOptions {
  /** Returns bytes that no file system can compress. */
  randomBytes: (count: number) => Uint8Array
  /** Called when reserving failed for a reason other than lack of space. */
  onError: (error: unknown) => void
}

/**
 * Creates the reserve beside the catalog: a file of 4 MiB, or a sixteenth of a small volume. On a full volume
 * it is released for a moment, because a delete adds to the catalog before it frees anything.
 */
export function createReserve({ db }: Pick<VolumePaths, 'db'>, { randomBytes, onError }: ReserveOptions) {
  const path = join(db, 'reserve')
  let timer: Timer | undefined

  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0

  /** Reserves the missing space as far as there is any; the rest once there is. */
  function take(): void {
    clearTimeout(timer)
    try {
      const { blocks, bsize } = statfsSync(db)
      grow(Math.min(4 * MiB, Math.floor((blocks * bsize) / 16)))
    } catch (error) {
      if (isOutOfSpace(error)) timer = setTimeout(take, RETRY_MS).unref()
      else onError(error)
    }
  }

  function grow(bytes: number): void {
    const file = openSync(path, 'a', 0o600)
    try {
      for (let missing = bytes - size(); missing > 0; )
        missing -= writeSync(file, randomBytes(Math.min(RESERVE_CHUNK_BYTES, missing)))
    } finally {
      closeSync(file)
    }
  }

  /** Releases the space until `take` is called. Returns true if there was any. */
  function giveUp(): boolean {
    clearTimeout(timer)
    const given = size() > 0
    rmSync(path, { force: true })
    return given
  }

  return { take, giveUp }
}
