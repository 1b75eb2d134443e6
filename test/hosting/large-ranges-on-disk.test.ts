import { beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { parseAnswer, type RawAnswer } from '../support/socket.ts'
import {
  ask,
  asking,
  diskPath,
  expectExactLength,
  openDownload,
  type Question,
  ROUTES,
  type Route,
  storeOld,
} from './wire.ts'

const HUGE_BYTES = Math.floor(4.1 * 1024 ** 3)

const holdfast = withHoldfast()

const askFor = (route: Route, file: FileView, question: Question): Promise<RawAnswer> =>
  ask(holdfast.port, ...asking(route, file, holdfast, question))

describe.each(ROUTES)('GET by %s of a file of more than 4 GiB', (route) => {
  const AROUND_64_KIB = [65_535, 65_536, 65_537]
  const AROUND_4_GIB = [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1]
  const MARKS = { 65535: 'abc', [2 ** 32 - 1]: 'xyz', [HUGE_BYTES - 7]: 'the end' }
  let huge: FileView

  beforeAll(async () => {
    huge = await storeOld(holdfast, holdfast, { name: `huge-${route}`, content: '' })
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
        const headers = [
          ...(route === 'download' ? [`API-Key: ${holdfast.key}`] : []),
          `Range: bytes=${first}-${last}`,
        ]
        const target = route === 'hosting' ? `/${huge.url}` : `/api/files/download/${huge.id}`
        const download = await openDownload(holdfast.port, target, { headers })
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
