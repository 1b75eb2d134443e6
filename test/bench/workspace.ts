import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KiB } from './report.ts'

/** Folder of a bench, removed with its content. */
export interface Workspace extends Disposable {
  path: string
}

/** Creates a workspace on disk, even if `/tmp` is in memory. `TMPDIR` moves it to another disk. */
export function openWorkspace(): Workspace {
  const path = mkdtempSync(join(process.env['TMPDIR'] ?? '/var/tmp', 'holdfast-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const PATTERN = Buffer.alloc(256 * KiB, 'What is written is there until it is deleted. ')

/** Yields the content of a file of `size` bytes: one repeated block, which takes no memory. */
export function* pattern(size: number): Generator<Buffer<ArrayBuffer>> {
  for (let left = size; left > 0; left -= PATTERN.length) yield PATTERN.subarray(0, left)
}

/** Writes a file of `size` bytes without holes. */
export function writePattern(path: string, size: number): void {
  const fd = openSync(path, 'wx')
  try {
    for (const block of pattern(size)) writeSync(fd, block)
  } finally {
    closeSync(fd)
  }
}
