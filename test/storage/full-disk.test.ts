import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { messageOf } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { buildArchive } from '../zip/build-archive.ts'

const MiB = 1024 ** 2

/** A mount point that only the server's own namespace has something mounted on. */
const mountPoint = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
const SMALL_DISK = `mount -t tmpfs -o size=40m tmpfs "${mountPoint}" && exec "$@"`
const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']

let holdfast: HoldfastProcess
let withKey: Record<string, string>

beforeAll(async () => {
  const wrap = [...namespace, 'sh', '-c', SMALL_DISK, 'sh']
  holdfast = await spawnHoldfast({ dataPath: mountPoint, wrap })
  ;({ withKey } = await registerWith(holdfast))
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  rmSync(mountPoint, { recursive: true, force: true })
})

function send(name: string, bytes: number) {
  const body = new FormData()
  body.append('files', new Blob([new Uint8Array(bytes)]), name)
  return holdfast.fetch('/api/files', { method: 'POST', headers: withKey, body })
}

/** The server's own view of its disk, which this process does not see. */
const onDisk = (folder: string) =>
  Bun.spawnSync([
    'find',
    `/proc/${holdfast.child.pid}/root${mountPoint}/${folder}`,
    '-type',
    'f',
    '-size',
    '+0',
  ])
    .stdout.toString()
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('.holdfast-volume'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1))

describe('a full disk', () => {
  test('refuses what would not fit before it is read, and what turns out not to fit while it is', async () => {
    expect((await send('fits', 10 * MiB)).status).toBe(200)

    const announced = await send('too-big', 36 * MiB)
    const chunked = await holdfast.fetch('/api/files', {
      method: 'POST',
      headers: { ...withKey, 'Content-Type': 'multipart/form-data; boundary=b' },
      body: chunkedUpload(36),
    })

    for (const refused of [announced, chunked]) {
      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe('Not enough free space on the volume')
    }
    expect(onDisk('tmp')).toEqual([])
    expect(onDisk('uploads')).toEqual(['fits'])
  })

  test('refuses an archive that does not fit, before it is read or while it is unpacked', async () => {
    const ones = (name: string) => ({ path: `site/${name}`, content: Buffer.alloc(18 * MiB, name) })
    const archive = buildArchive([ones('a'), ones('b')])
    const small = buildArchive(
      [ones('a'), ones('b')].map((entry) => ({ ...entry, ...packed(entry.content) })),
    )
    expect(small.length).toBeLessThan(MiB)

    for (const body of [archive, small]) {
      const refused = await holdfast.fetch('/api/folders/import', { method: 'POST', headers: withKey, body })

      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe('Not enough free space on the volume')
    }
    expect(onDisk('tmp')).toEqual([])
    expect(onDisk('uploads')).toEqual(['fits'])
  })

  test('still serves and deletes, and takes uploads again once there is room', async () => {
    const sizes = [8, 8, 4, 4, 2, 2, 1, 1]
    const statuses: number[] = []
    for (const [n, size] of sizes.entries()) statuses.push((await send(`filler${n}`, size * MiB)).status)
    expect(statuses.at(-1)).toBe(507)

    const served = await holdfast.fetch('/api/hosting/fits')
    expect((await served.arrayBuffer()).byteLength).toBe(10 * MiB)
    const found = await (await holdfast.fetch('/api/files?key=fits', { headers: withKey })).json()
    const { id } = (found as { data: { file: { id: string } } }).data.file
    const deleted = await holdfast.fetch('/api/files', {
      method: 'DELETE',
      headers: withKey,
      body: JSON.stringify({ id }),
    })

    expect(deleted.status).toBe(200)
    expect((await send('again', 4 * MiB)).status).toBe(200)
  })
})

/** Bytes so deflated that they take about a hundredth, which is not suspicious. */
const packed = (content: Buffer) => ({ deflated: true, raw: deflateRawSync(content, { level: 1 }) })

/** A multipart body of one file of `mebibytes`, without a length. */
function chunkedUpload(mebibytes: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    start: (controller) =>
      controller.enqueue(
        Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="chunked"\r\n\r\n'),
      ),
    pull(controller) {
      if (sent++ < mebibytes) return controller.enqueue(new Uint8Array(MiB))
      controller.enqueue(Buffer.from('\r\n--b--\r\n'))
      controller.close()
    },
  })
}
