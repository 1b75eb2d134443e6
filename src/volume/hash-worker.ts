import { closeSync, openSync, readSync } from 'node:fs'
import type { HashProgress, HashResult } from './hash-thread.ts'

/** The other end of `HashThread`: hashes files as far as it is told that they are written. */

declare const self: Worker

interface GrowingFile {
  fd: number
  position: number
  sha256: Bun.CryptoHasher
}

const files = new Map<number, GrowingFile>()
const buffer = new Uint8Array(256 * 1024)

function open(id: number, path: string): GrowingFile {
  const file = { fd: openSync(path, 'r'), position: 0, sha256: new Bun.CryptoHasher('sha256') }
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
    file.sha256.update(buffer.subarray(0, count))
    file.position += count
  }
}

function advance({ id, path, written, end }: HashProgress): HashResult | undefined {
  try {
    if (end !== 'abandoned') hashUpTo(files.get(id) ?? open(id, path), written)
    if (end === undefined) return undefined
    const sha256 = files.get(id)?.sha256.digest('hex') ?? ''
    close(id)
    return { id, sha256 }
  } catch (error) {
    close(id)
    return { id, error: String(error) }
  }
}

self.onmessage = ({ data }: MessageEvent<HashProgress>) => {
  const result = advance(data)
  if (result) self.postMessage(result)
}
