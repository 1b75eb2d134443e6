import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KiB } from './report.ts'

/** A folder of one bench, removed with everything in it. */
export interface Workspace extends Disposable {
  path: string
}

/** On disk also where `/tmp` is in memory; `TMPDIR` moves it to another disk. */
export function openWorkspace(): Workspace {
  const path = mkdtempSync(join(process.env['TMPDIR'] ?? '/var/tmp', 'holdfast-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const PATTERN = Buffer.alloc(256 * KiB, 'What is written is there until it is deleted. ')

/** The content of every file of `size` bytes: one block over and over, which takes no memory. */
export function* pattern(size: number): Generator<Buffer<ArrayBuffer>> {
  for (let left = size; left > 0; left -= PATTERN.length) yield PATTERN.subarray(0, left)
}

/** Writes a file of `size` bytes that has no holes. */
export function writePattern(path: string, size: number): void {
  const fd = openSync(path, 'wx')
  try {
    for (const block of pattern(size)) writeSync(fd, block)
  } finally {
    closeSync(fd)
  }
}
