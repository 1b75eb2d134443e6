import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filePayload } from '../../src/s3/payload.ts'

const isOpen = (path: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

test.each([0, 1])('a body of a file that is canceled after %d reads leaves it closed', async (reads) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const path = join(folder, 'file')
  writeFileSync(path, new Uint8Array(1_000_000))
  const stream = filePayload(path, { size: 1_000_000, sha256: '' }).open()
  if (!(stream instanceof ReadableStream)) throw new Error('The body is no stream')
  const reader = stream.getReader()
  for (let n = 0; n < reads; n++) await reader.read()

  const reading = reader.read()
  // The stream asks for bytes one turn later.
  await Promise.resolve()
  await reader.cancel()
  await reading
  // A file that is still being opened must not stay open either.
  await Bun.sleep(200)

  expect(isOpen(path)).toBe(false)
  rmSync(folder, { recursive: true })
})
