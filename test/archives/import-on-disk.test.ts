import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWithAccount } from '../support/fixture.ts'
import { filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { buildArchive } from '../zip/build-archive.ts'

test.each([
  ['file', 'stray', 'sub/stray'],
  ['folder', 'stray-folder', 'stray-folder/x'],
])('a %s on disk that the catalog does not know refuses the whole archive', async (_, name, path) => {
  await using holdfast = await startWithAccount()
  const api = holdfast.api
  await api.upload('a.txt', 'a.txt', 'taken')
  await api.upload('c.txt', 'x', 'taken/sub')
  writeFileSync(join(holdfast.dataPath, 'uploads/taken/sub/stray'), 'not ours')
  mkdirSync(join(holdfast.dataPath, 'uploads/taken/stray-folder'))
  const before = filesUnder(holdfast, 'uploads')

  const body = buildArchive(['new/x', path].map((path) => ({ path, content: 'x' })))
  const response = await holdfast.api.sendBody('POST', '/folders/import?folder=taken', body)

  expect([response.status, await messageOf(response)]).toEqual([409, expect.stringContaining(`"${name}"`)])
  expect(filesUnder(holdfast, 'uploads')).toEqual(before)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  await expectNoIntents(holdfast)
  expect(await api.hosted('taken/a.txt')).toBe('a.txt')
})
