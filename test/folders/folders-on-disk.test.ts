import { describe, expect, test } from 'bun:test'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder, messageOf } from '../support/holdfast.ts'
import { heldFiles } from '../support/trash.ts'
import { sitesOf } from './sites.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const { trash, make, replace } = sitesOf(holdfast)

test('a folder cannot have the name of a directory that the catalog does not know', async () => {
  mkdirSync(join(holdfast.dataPath, 'uploads', 'stranger'))

  expect((await api.refusal('POST', '/folders', { folder: 'stranger' }))[0]).toBe(409)
})

test('the delete of a folder leaves in place what the catalog does not know', async () => {
  const id = await make('mixed', { 'sub/ours.txt': 'x' })
  writeFileSync(join(holdfast.dataPath, 'uploads', 'mixed', 'sub', 'stray'), 'not ours')

  await api.data('DELETE', '/folders', { id })

  expect(filesUnder(holdfast, 'uploads').filter((path) => path.startsWith('mixed'))).toEqual([
    'mixed',
    'mixed/sub',
    'mixed/sub/stray',
  ])
  expect((await api.refusal('GET', '/folders?key=mixed'))[0]).toBe(404)
})

describe('a folder that replaces another', () => {
  test('is never unknown while it goes to the trash or returns from there', async () => {
    const [a, b, c] = [
      await make('chain/a', { x: 'a' }),
      await make('chain/b', { x: 'b' }),
      await make('chain/c', { x: 'c' }),
    ]
    const swap = (id: string, replaces: string) => api.send('POST', '/folders/replace', { id, replaces })
    const busy = 'The item is still being moved or deleted, try again soon'

    const [first, second] = await Promise.all([swap(b, a), swap(a, c)])
    expect([first.status, second.status, await messageOf(second)]).toEqual([200, 503, busy])
    const [restored, third] = await Promise.all([trash.restore(a), swap(a, c)])
    expect([restored.restored.length, third.status, await messageOf(third)]).toEqual([1, 503, busy])
    expect((await swap(a, c)).status).toBe(200)
  })

  test('changes nothing when a directory is missing on disk', async () => {
    const live = await make('missing/site', { a: 'old' })
    const next = await make('missing/next', { a: 'new' })
    const path = (key: string) => join(holdfast.dataPath, 'uploads', key)
    for (const name of ['site', 'next']) {
      renameSync(path(`missing/${name}`), path('missing/hidden'))

      const refusal = await api.refusal('POST', '/folders/replace', { id: next, replaces: live })

      expect(refusal).toEqual([409, `"missing/${name}" is missing on disk`])
      renameSync(path('missing/hidden'), path(`missing/${name}`))
    }
    expect(await api.hosted('missing/site/a')).toBe('old')
    expect(await api.hosted('missing/next/a')).toBe('new')
    expect((await trash.list()).total).toBe(0)
  })

  test('takes unknown entries along', async () => {
    const live = await make('strange/site', { a: 'old' })
    const next = await make('strange/next', { a: 'new' })
    writeFileSync(join(holdfast.dataPath, 'uploads/strange/site/by-hand'), 'x')

    await replace(next, live)

    expect(heldFiles(holdfast)).toEqual(['site/a', 'site/by-hand'])
    await replace(live, next)
    expect(heldFiles(holdfast)).toEqual(['site/a'])
  })
})
