import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filePayload } from '../../src/s3/payload.ts'
import { openFiles } from '../support/open-files.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each([0, 1])('a body of a file that is canceled after %d reads leaves it closed', async (reads) => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'file')
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
  // A file that is still being opened must not stay open either. Later calls of the system have ended after that one.
  for (let n = 0; n < 20; n += 1) await stat(path)

  expect(openFiles().includes(path)).toBe(false)
})
