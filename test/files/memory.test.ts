import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peakDuring, residentBytes } from '../bench/memory.ts'
import { BYTES_IN } from '../support/kind.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { storedIn } from '../support/stored.ts'
import { begin, sendPiece } from '../uploads/tus.ts'

const MiB = 1024 ** 2
const LARGE = 256 * MiB
/** Largest growth of memory in bytes. Parts on their way to an object store are in buffers. */
const MOST = { folder: 24 * MiB, objects: 128 * MiB }
const TYPE = 'multipart/form-data; boundary=frame'

describe('memory stays flat while a large file arrives', () => {
  let server: HoldfastProcess
  let withKey: Record<string, string>
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-large-'))
  beforeAll(async () => {
    server = await spawnHoldfast()
    withKey = (await registerWith(server)).withKey
    // What the first large file needs once is not the next one's cost.
    await sendForm('first', 8 * MiB)
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await server[Symbol.asyncDispose]()
  })

  /** Returns the body of an upload of a little more than `size` bytes, which is never in memory. */
  function formFile(name: string, size: number): Bun.BunFile {
    const path = join(folder, name)
    const head = `--frame\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`
    writeFileSync(path, head)
    truncateSync(path, head.length + size)
    appendFileSync(path, '\r\n--frame--\r\n')
    return Bun.file(path)
  }

  async function sendForm(name: string, size: number): Promise<void> {
    const headers = { ...withKey, 'Content-Type': TYPE }
    const response = await server.fetch('/api/files', { method: 'POST', headers, body: formFile(name, size) })
    expect(response.status).toBe(200)
  }

  async function sendPieces(name: string, size: number): Promise<void> {
    const path = join(folder, name)
    writeFileSync(path, '')
    truncateSync(path, size)
    const upload = await begin(server, withKey, { length: size, fields: { filename: name } })
    const response = await sendPiece(server, withKey, { path: upload, offset: 0, body: Bun.file(path) })
    expect(response.status).toBe(204)
  }

  test.each([
    ['in a form', 'form', sendForm],
    ['as an upload that may be continued', 'pieces', sendPieces],
  ])('%s', async (_, name, send) => {
    const { pid } = server.child
    const before = residentBytes(pid, 'VmRSS')

    const peak = await peakDuring(pid, () => send(name, LARGE))

    expect((await storedIn(server).read({ key: name })).length).toBe(LARGE)
    expect(peak - before).toBeLessThan(MOST[BYTES_IN])
  })
})
