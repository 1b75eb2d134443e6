import { describe, expect, test } from 'bun:test'
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { ask, asking, diskPath, type Question, ROUTES, type Route } from './wire.ts'

const CONTENT = '0123456789abcdefghij'
const REPLACED = 'ABCDEFGHIJ9876543210'

const holdfast = withInside({ clock: new TestClock() })

const askFor = (route: Route, file: FileView, question: Question = {}) =>
  ask(holdfast.port, ...asking(route, file, holdfast, question))

let names = 0
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
