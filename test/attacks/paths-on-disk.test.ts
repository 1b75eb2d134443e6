import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { messageOf } from '../support/holdfast.ts'
import { filePart } from '../support/multipart.ts'
import { inMemory, parseArchive } from '../zip/parse-archive.ts'
import { expectNothingFromOutside, OUTSIDE, raceOfSwaps } from './swaps.ts'

const holdfast = withHoldfast()
const { api } = holdfast
beforeAll(async () => {
  mkdirSync(join(holdfast.dataPath, 'outside'))
  writeFileSync(join(holdfast.dataPath, 'outside', 'f'), OUTSIDE)
})

const onDisk = (key: string) => join(holdfast.dataPath, 'uploads', key)

// Row 14.
test('uploads to the volume’s marker and to the catalog are refused', async () => {
  const marker = readFileSync(onDisk('.holdfast-volume'))

  const response = await api.sendParts(filePart('.holdfast-volume', 'forged'))
  const database = await api.upload('holdfast.sqlite', 'mine', 'db')
  const staged = await api.upload('0', 'mine', 'tmp')

  expect(response.status).toBe(409)
  expect(readFileSync(onDisk('.holdfast-volume'))).toEqual(marker)
  expect(await api.hosted('.holdfast-volume')).toBe(404)
  expect([await api.hosted(database.key), await api.hosted(staged.key)]).toEqual(['mine', 'mine'])
  expect(readFileSync(onDisk('db/holdfast.sqlite'), 'utf8')).toBe('mine')
  expect((await api.list()).length).toBeGreaterThan(0)
})

// Rows 17 and 19.
const IN_PLACE: [what: string, put: (path: string) => unknown][] = [
  ['a link to a file outside', (path) => symlinkSync(join(holdfast.dataPath, 'outside/f'), path)],
  ['a pipe', (path) => expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)],
  ['a folder', (path) => mkdirSync(path)],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
]

describe.each(IN_PLACE)('%s in the place of a stored file', (what, put) => {
  test('is left out of its folder’s archive, and lets an archive of several files be refused', async () => {
    const folder = `zip ${what}`
    const kept = await api.upload('a', 'kept', folder)
    const gone = await api.upload('b', 'gone', folder)
    rmSync(onDisk(gone.key))
    put(onDisk(gone.key))

    const archive = await api.send('GET', `/folders/download?key=${encodeURIComponent(folder)}`)
    const several = await api.send('POST', '/files/download', { ids: [kept.id, gone.id] })

    const entries = parseArchive(inMemory(await archive.bytes())).entries
    expect(entries.map(({ path }) => path)).toEqual([`${folder}/`, `${folder}/a`])
    expect(several.status).toBe(404)
    expect(await messageOf(several)).not.toContain(OUTSIDE)
  })
})

// Row 18.
test('500 swaps of a folder for a link, and back, let nothing in or out', async () => {
  const seen = await raceOfSwaps({ holdfast, withKey: holdfast.withKey, rounds: 500 })

  expectNothingFromOutside(seen, holdfast)
})
