import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isOutOfSpace } from '../platform/errors.ts'
import type { VolumePaths } from './layout.ts'

const MiB = 1024 ** 2
const CHUNK_BYTES = 64 * 1024
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
        missing -= writeSync(file, randomBytes(Math.min(CHUNK_BYTES, missing)))
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
