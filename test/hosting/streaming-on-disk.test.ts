import { describe, expect, test } from 'bun:test'
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { parseAnswer } from '../support/socket.ts'
import { ask, asking, diskPath, openDownload, ROUTES, type SlowDownload } from './wire.ts'

const MiB = 1024 ** 2
/** Exceeds all buffers between server and client. */
const SIZE = 16 * MiB

const holdfast = withInside({ clock: new TestClock() })

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
  expect((await ask(holdfast.port, `/${file.url}`)).body.toString()).toBe('next')
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
    expect((await ask(holdfast.port, ...asking(route, file, holdfast))).status).toBe(404)
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
