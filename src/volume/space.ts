import { type StatsFs, statfsSync } from 'node:fs'
import { refuseNoSpace } from '../platform/errors.ts'

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

  /** True when uploads are refused, or soon will be. */
  function isShort(): boolean {
    const { available, capacity } = space()
    return available < 2 * freeBytes(capacity)
  }

  return { space, isShort, assertRoom, createClaim }
}
