import { beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { parseAnswer } from '../support/socket.ts'
import {
  asking,
  diskPath,
  expectExactLength,
  onWire,
  openDownload,
  ROUTES,
  type SlowDownload,
} from './wire.ts'

const MiB = 1024 ** 2

/** Exceeds all buffers between server and client. */
const SIZE = 16 * MiB

const holdfast = withInside({ clock: new TestClock() })
const { ask, askFor, storeOld } = onWire(holdfast)
let names = 0

/** Stores a sparse file of `SIZE` zeros. */
async function sparseFile(): Promise<FileView> {
  const file = await holdfast.api.upload(`f${names++}`, 'x')
  writeFileSync(diskPath(holdfast, file), '')
  truncateSync(diskPath(holdfast, file), SIZE)
  return file
}

/** Returns the received part of the body. */
const bodyOf = (download: SlowDownload) => parseAnswer(download.received()).body

async function expectStillServing(): Promise<void> {
  const file = await holdfast.api.upload(`next${names++}`, 'next')
  expect((await ask(`/${file.url}`)).body.toString()).toBe('next')
}

describe.each(ROUTES)('a file that changes while it is sent by %s', (route) => {
  /** Begins to read `file`, applies `change` to it, and reads to the end. */
  async function readWhile(file: FileView, change: (path: string) => void): Promise<SlowDownload> {
    const download = await openDownload(
      holdfast.port,
      ...asking(route, file, holdfast, { headers: ['Connection: close'] }),
    )
    change(diskPath(holdfast, file))
    await download.readTo(Number.POSITIVE_INFINITY)
    expect(download.closed()).toBe(true)
    expect(parseAnswer(download.received()).headers.get('content-length')).toBe(String(SIZE))
    return download
  }

  test('by shrinking ends the connection, without padding', async () => {
    const before = holdfast.logged.length

    const download = await readWhile(await sparseFile(), (path) => truncateSync(path, MiB))

    expect(bodyOf(download).length).toBeLessThan(SIZE)
    expect(holdfast.logged.slice(before).map(({ message }) => message)).toEqual([
      'A response could not be completed',
    ])
    await expectStillServing()
  })

  test('by growing is sent at the announced length', async () => {
    const download = await readWhile(await sparseFile(), (path) => appendFileSync(path, 'more'))

    expect(bodyOf(download).length).toBe(SIZE)
    expect(bodyOf(download).includes('more')).toBe(false)
  })

  test('by being deleted is sent to its end, and is gone for others', async () => {
    const file = await sparseFile()

    const download = await readWhile(file, (path) => rmSync(path))

    expect(bodyOf(download).length).toBe(SIZE)
    expect((await askFor(route, file)).status).toBe(404)
  })

  test('by being replaced is sent as it was, without a byte of the other', async () => {
    const file = await sparseFile()

    const download = await readWhile(file, (path) => {
      writeFileSync(`${path}.new`, 'other'.repeat(MiB))
      renameSync(`${path}.new`, path)
    })

    expect(bodyOf(download).length).toBe(SIZE)
    expect(bodyOf(download).includes('other')).toBe(false)
  })
})

const CONTENT = '0123456789abcdefghij'
const REPLACED = 'ABCDEFGHIJ9876543210'
const store = () => holdfast.api.upload(`f${names++}`, CONTENT)

describe.each(ROUTES)('the validators by %s', (route) => {
  test.each([0, -1, -86_400.5])('of a file modified at %d s do no harm', async (epochSeconds) => {
    const file = await store()
    // The runtime's own `utimes` takes no time before 1970.
    Bun.spawnSync(['touch', '-d', `@${epochSeconds}`, diskPath(holdfast, file)])
    expect(statSync(diskPath(holdfast, file)).mtimeMs).toBe(epochSeconds * 1000)

    const answer = await askFor(route, file)
    const again = { headers: [`If-None-Match: ${answer.headers.get('etag')}`] }

    expect([answer.status, answer.body.toString()]).toEqual([200, CONTENT])
    expect(answer.headers.get('last-modified')).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
    expect((await askFor(route, file, again)).status).toBe(304)
  })
})

describe.each(ROUTES)('a file read by %s in ranges', (route) => {
  test('and written over on disk within the same second between two of them is sent whole', async () => {
    const file = await store()
    const first = await askFor(route, file, { headers: ['Range: bytes=0-9'] })
    expect([first.status, first.body.toString()]).toEqual([206, '0123456789'])
    const question = { headers: ['Range: bytes=10-19', `If-Range: ${first.headers.get('etag')}`] }

    const path = diskPath(holdfast, file)
    const { mtimeMs } = statSync(path)
    writeFileSync(path, REPLACED)
    const modified = Math.floor(mtimeMs / 1000) * 1000 + ((Math.floor(mtimeMs) + 1) % 1000)
    utimesSync(path, modified / 1000, modified / 1000)
    const second = await askFor(route, file, question)

    expect([second.status, second.body.toString()]).toEqual([200, REPLACED])
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
    expect(second.headers.get('etag')).toStartWith('"14-')
  })
})

const HUGE_BYTES = Math.floor(4.1 * 1024 ** 3)

describe.each(ROUTES)('GET by %s of a file of more than 4 GiB', (route) => {
  const AROUND_64_KIB = [65_535, 65_536, 65_537]
  const AROUND_4_GIB = [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1]
  const MARKS = { 65535: 'abc', [2 ** 32 - 1]: 'xyz', [HUGE_BYTES - 7]: 'the end' }
  let huge: FileView

  beforeAll(async () => {
    huge = await storeOld(`huge-${route}`, '')
    truncateSync(diskPath(holdfast, huge), HUGE_BYTES)
    const fd = openSync(diskPath(holdfast, huge), 'r+')
    for (const [position, mark] of Object.entries(MARKS)) writeSync(fd, mark, Number(position))
    closeSync(fd)
  })

  test.each<[range: string, span: string, body: string]>([
    ['bytes=65535-65535', '65535-65535', 'a'],
    ['bytes=65535-65536', '65535-65536', 'ab'],
    ['bytes=65535-65537', '65535-65537', 'abc'],
    ['bytes=65536-65536', '65536-65536', 'b'],
    ['bytes=65536-65537', '65536-65537', 'bc'],
    ['bytes=65537-65537', '65537-65537', 'c'],
    ['bytes=4294967295-4294967295', '4294967295-4294967295', 'x'],
    ['bytes=4294967295-4294967296', '4294967295-4294967296', 'xy'],
    ['bytes=4294967295-4294967297', '4294967295-4294967297', 'xyz'],
    ['bytes=4294967296-4294967296', '4294967296-4294967296', 'y'],
    ['bytes=4294967296-4294967297', '4294967296-4294967297', 'yz'],
    ['bytes=4294967297-4294967297', '4294967297-4294967297', 'z'],
    ['bytes=-7', '4402341471-4402341477', 'the end'],
    ['bytes=4402341475-', '4402341475-4402341477', 'end'],
    ['bytes=4402341477-9007199254740993', '4402341477-4402341477', 'd'],
  ])('%s is exact', async (range, span, body) => {
    const answer = await askFor(route, huge, { headers: [`Range: ${range}`] })

    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${span}/${HUGE_BYTES}`)
    expect(answer.body.toString()).toBe(body)
    expectExactLength(answer)
  })

  test('begins right and promises the exact length across 2^32', async () => {
    for (const first of AROUND_64_KIB) {
      for (const last of AROUND_4_GIB) {
        const range = { headers: [`Range: bytes=${first}-${last}`] }
        const download = await openDownload(holdfast.port, ...asking(route, huge, holdfast, range))
        await download.readTo(2000)
        download.socket.destroy()

        const answer = parseAnswer(download.received())
        expect(answer.headers.get('content-length')).toBe(String(last - first + 1))
        expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${HUGE_BYTES}`)
        expect(answer.body.toString()).toStartWith('abc'.slice(first - 65_535))
      }
    }
  })

  test('ends where it ends', async () => {
    const answer = await askFor(route, huge, { headers: [`Range: bytes=${HUGE_BYTES}-`] })
    const head = await askFor(route, huge, { method: 'HEAD' })

    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${HUGE_BYTES}`])
    expect(head.headers.get('content-length')).toBe(String(HUGE_BYTES))
  })
})
