import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, apiOf } from '../support/api.ts'
import { type Account, filesUnder, type Holdfast, register, startHoldfast } from '../support/holdfast.ts'

let holdfast: Holdfast
let account: Account
let api: Api
beforeAll(async () => {
  holdfast = await startHoldfast()
  account = await register(holdfast)
  api = apiOf(holdfast, account)
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const onDisk = (key: string) => join(holdfast.dataPath, 'uploads', key)

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
    (await api.send('POST', '/folders/move', { id: folder.id, folder: 'linked' })).status,
    (await api.send('POST', '/files/move', { id: file.id, folder: 'linked' })).status,
    (await api.send('POST', '/files/move', { id: file.id, folder: 'linked/new' })).status,
    (await api.send('POST', '/folders', { folder: 'linked/new' })).status,
  ]

  expect(statuses.every((status) => status >= 400)).toBe(true)
  expect(readdirSync(outside)).toEqual([])
  expect(await api.hosted('to be moved/stays')).toBe('x')
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
})
