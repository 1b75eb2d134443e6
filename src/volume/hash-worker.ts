import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { Utf8Check } from '../platform/utf8.ts'
import type { HashProgress, HashResult } from './hash-thread.ts'

/**
 * Thread scope. This file runs as the other end of `HashThread` and hashes files as far as they are reported
 * written.
 */

declare const self: Worker

interface GrowingFile {
  fd: number
  /** Bytes hashed, and bytes that can be hashed. */
  position: number
  written: number
  isComplete: boolean
  hash: Bun.CryptoHasher
  /** Missing for a file whose MD5 alone is wanted. */
  utf8: Utf8Check | undefined
  crc32: number
  hasCrc32: boolean
}

/** Bytes of one file that are hashed before the next file's time slice. */
const SLICE_BYTES = 4 * 1024 ** 2

const files = new Map<number, GrowingFile>()
const buffer = new Uint8Array(256 * 1024)
let isRunning = false

function open({ id, path, withCrc32 = false, onlyMd5 = false }: HashProgress): GrowingFile {
  const hash = new Bun.CryptoHasher(onlyMd5 ? 'md5' : 'sha256')
  const utf8 = onlyMd5 ? undefined : new Utf8Check()
  const counts = { position: 0, written: 0, isComplete: false, crc32: 0 }
  const file = { fd: openSync(path, 'r'), hash, utf8, hasCrc32: withCrc32, ...counts }
  files.set(id, file)
  return file
}

function close(id: number): void {
  const file = files.get(id)
  if (file) closeSync(file.fd)
  files.delete(id)
}

function hashUpTo(file: GrowingFile, end: number): void {
  while (file.position < end) {
    const count = readSync(file.fd, buffer, 0, Math.min(buffer.length, end - file.position), file.position)
    if (count === 0) throw new Error('A staged file is shorter than what was written to it')
    const bytes = buffer.subarray(0, count)
    file.hash.update(bytes)
    file.utf8?.update(bytes)
    if (file.hasCrc32) file.crc32 = crc32(bytes, file.crc32)
    file.position += count
  }
}

function settle(id: number, work: () => void): void {
  try {
    work()
  } catch (error) {
    close(id)
    self.postMessage({ id, error: String(error) } satisfies HashResult)
  }
}

function advance(id: number, file: GrowingFile): void {
  hashUpTo(file, Math.min(file.written, file.position + SLICE_BYTES))
  if (file.position < file.written || !file.isComplete) return
  close(id)
  const [digest, isUtf8] = [file.hash.digest('hex'), file.utf8?.end() ?? false]
  self.postMessage({ id, digest, crc32: file.crc32, isUtf8 } satisfies HashResult)
}

/** Hashes a slice of every file in rotation, until no file has more. */
function takeTurns(): void {
  for (const [id, file] of files) settle(id, () => advance(id, file))
  isRunning = [...files.values()].some(({ position, written }) => position < written)
  if (isRunning) setImmediate(takeTurns)
}

self.onmessage = ({ data }: MessageEvent<HashProgress>) => {
  const { id, written, end } = data
  if (end === 'abandoned') return close(id)
  settle(id, () => {
    const file = files.get(id) ?? open(data)
    file.written = written
    file.isComplete = end === 'complete'
  })
  if (!isRunning) takeTurns()
}
