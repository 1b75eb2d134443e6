import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { expectNothingFromOutside, raceOfSwaps } from './swaps.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const onDisk = (key: string) => join(holdfast.dataPath, 'uploads', key)

// Row 18.
test('500 swaps of a folder for a link, and back, let nothing in or out', async () => {
  const seen = await raceOfSwaps({ holdfast, withKey: holdfast.withKey, rounds: 500 })

  expectNothingFromOutside(seen, holdfast)
})

// Row 44.
test('nothing is moved or uploaded through a folder that was replaced by a link', async () => {
  const outside = join(holdfast.dataPath, 'outside')
  mkdirSync(outside)
  await api.createFolder('linked')
  const folder = await api.createFolder('to be moved')
  const file = await api.upload('stays', 'x', 'to be moved')
  rmSync(onDisk('linked'), { recursive: true })
  symlinkSync(outside, onDisk('linked'))

  const statuses = [
    await api.status('POST', '/folders/move', { id: folder.id, folder: 'linked' }),
    await api.status('POST', '/files/move', { id: file.id, folder: 'linked' }),
    await api.status('POST', '/files/move', { id: file.id, folder: 'linked/new' }),
    await api.status('POST', '/folders', { folder: 'linked/new' }),
  ]

  expect(statuses.every((status) => status >= 400)).toBe(true)
  expect(readdirSync(outside)).toEqual([])
  expect(await api.hosted('to be moved/stays')).toBe('x')
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
})
