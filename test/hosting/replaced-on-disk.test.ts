import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { asking, diskPath, onWire, type Question, ROUTES, type Route, wholeAnswer } from './wire.ts'

/** Text that no response may contain. */
const OUTSIDE = 'bytes from outside'

let outside: string
const listening: Server[] = []
const clock = new TestClock()
const holdfast = withInside({ clock })
const { ask } = onWire(holdfast)
beforeAll(async () => {
  outside = join(holdfast.dataPath, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'f'), OUTSIDE)
  await holdfast.api.upload('secret', OUTSIDE, '', 'private')
})
afterAll(async () => {
  for (const server of listening) server.close()
})

let folders = 0
/** Uploads a public file, alone in a folder, and requests it until it is cached. */
async function servedFile(): Promise<FileView> {
  const file = await holdfast.api.upload('f', 'stored', `d${folders++}`)
  for (let n = 0; n < 2; n += 1) expect((await ask(`/${file.url}`)).body.toString()).toBe('stored')
  return file
}

/** Ways to replace the regular file or folder at `path` by something else. */
type Replacement = (path: string) => unknown

const makeFifo: Replacement = (path) => expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)

const listenAt: Replacement = (path) =>
  new Promise<void>((resolve) => listening.push(createServer().listen(path, resolve)))

const IN_PLACE_OF_A_FILE: [what: string, put: Replacement][] = [
  ['nothing', () => {}],
  ['a link to a file outside', (path) => symlinkSync(join(outside, 'f'), path)],
  ['a relative link to a file outside', (path) => symlinkSync('../../outside/f', path)],
  ['a link to a private file', (path) => symlinkSync('../secret', path)],
  [
    'a link to a file beside it',
    (path) => {
      writeFileSync(`${path}2`, OUTSIDE)
      symlinkSync('f2', path)
    },
  ],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a link to itself', (path) => symlinkSync('f', path)],
  ['a link to a device without end', (path) => symlinkSync('/dev/zero', path)],
  ['a link to a file of the system', (path) => symlinkSync('/proc/self/environ', path)],
  ['a pipe', makeFifo],
  ['a socket', listenAt],
  ['an empty folder', (path) => mkdirSync(path)],
  [
    'a folder with a file',
    (path) => {
      mkdirSync(path)
      writeFileSync(join(path, 'f'), OUTSIDE)
    },
  ],
]

const IN_PLACE_OF_A_FOLDER: [what: string, put: Replacement][] = [
  ['nothing', () => {}],
  ['a link to a folder outside', (path) => symlinkSync(outside, path)],
  ['a relative link to a folder outside', (path) => symlinkSync('../outside', path)],
  [
    'a link to where it was moved',
    (path) => {
      mkdirSync(`${path}-moved`)
      writeFileSync(join(`${path}-moved`, 'f'), OUTSIDE)
      symlinkSync(`${path}-moved`, path)
    },
  ],
  ['a link to the folder of processes', (path) => symlinkSync('/proc/self/fd', path)],
  ['a file', (path) => writeFileSync(path, OUTSIDE)],
  ['a pipe', makeFifo],
]

const QUESTIONS: Question[] = [
  {},
  { method: 'HEAD' },
  { headers: ['Range: bytes=0-4'] },
  { headers: ['If-None-Match: *'] },
]

/** Expects that nothing is served at the key of `file`; a pipe or a device would keep a reader waiting. */
async function expectGone(file: FileView): Promise<void> {
  // An edit outside Holdfast may go unnoticed for a second.
  clock.advance(1000)
  for (const question of QUESTIONS) {
    const answers = await Promise.all(
      ROUTES.map((route: Route) => ask(...asking(route, file, holdfast, question))),
    )
    const missing = await ask('/api/hosting/nothing', question)

    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect(answers.some(({ body }) => body.includes(OUTSIDE))).toBe(false)
    expect(answers.slice(0, 1).map(wholeAnswer)).toEqual([wholeAnswer(missing)])
  }
}

describe('a stored file is no longer served', () => {
  test.each(IN_PLACE_OF_A_FILE)('with %s in its place', async (_, put) => {
    const file = await servedFile()
    rmSync(diskPath(holdfast, file))

    await put(diskPath(holdfast, file))

    await expectGone(file)
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe(OUTSIDE)
  })

  test.each(IN_PLACE_OF_A_FOLDER)('with %s in the place of its folder', async (_, put) => {
    const file = await servedFile()
    const folder = dirname(diskPath(holdfast, file))
    rmSync(folder, { recursive: true })

    await put(folder)

    await expectGone(file)
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe(OUTSIDE)
  })

  test('while its folder is swapped for a link, and back, under it', async () => {
    const file = await servedFile()
    const folder = dirname(diskPath(holdfast, file))
    const seen = new Set<string>()
    for (let n = 0; n < 300; n += 1) {
      const asked = ask(`/${file.url}?${n}`)
      renameSync(folder, `${folder}-away`)
      symlinkSync(outside, folder)
      await Bun.sleep(0)
      rmSync(folder)
      renameSync(`${folder}-away`, folder)
      const { status, body } = await asked
      seen.add(status === 200 ? body.toString() : String(status))
    }

    expect([...seen].filter((answer) => !['stored', '404'].includes(answer))).toEqual([])
    expect(seen.size).toBeGreaterThan(0)
  })

  test('leaves no file open', async () => {
    const openFiles = () =>
      Bun.spawnSync(['ls', `/proc/${process.pid}/fd`])
        .stdout.toString()
        .split('\n').length
    const file = await servedFile()
    rmSync(diskPath(holdfast, file))
    mkdirSync(diskPath(holdfast, file))
    const before = openFiles()

    for (let n = 0; n < 100; n += 1) await ask(`/${file.url}`)

    expect(openFiles() - before).toBeLessThan(20)
  })
})
