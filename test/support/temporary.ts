import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder in `parent` that is removed with everything in it when its scope ends. */
export function temporaryFolder(parent = tmpdir()): Disposable & { path: string } {
  const path = mkdtempSync(join(parent, 'holdfast-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const MEMORY = '/dev/shm'

/**
 * Returns a folder in memory with at least `bytes` of room, else the folder for temporary files. There, a sync costs
 * nothing: on a disk, tests of the server spend most of their time in it.
 */
export function fastFolder(bytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) >= bytes) return MEMORY
  } catch {
    // The machine has no such folder.
  }
  return tmpdir()
}
