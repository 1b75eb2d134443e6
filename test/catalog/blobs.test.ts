import { describe, expect, test } from 'bun:test'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'

const openBlobs = () => openCatalog({ path: ':memory:', onUnknownOutcome: () => {} }).blobs

const arriving = (id: string, node = 'this process') => ({
  id,
  state: 'arriving' as const,
  node,
  uploadId: null,
  size: 0,
  createdAt: 1,
  notBefore: 0,
})

describe('a blob that arrives', () => {
  test('is kept once', async () => {
    const blobs = openBlobs()
    await blobs.insert(arriving('a'))

    expect(await blobs.keep('a', 5)).toBe(true)
    expect(await blobs.keep('a', 5)).toBe(false)
    expect(await blobs.byId('a')).toMatchObject({ state: 'kept', size: 5 })
  })

  test('is not kept after another process gave it up', async () => {
    const blobs = openBlobs()
    await blobs.insert(arriving('a', 'an earlier process'))
    await blobs.insert(arriving('b'))

    await blobs.doomAbandoned('this process', 10)

    expect(await blobs.keep('a', 5)).toBe(false)
    expect(await blobs.keep('b', 5)).toBe(true)
    expect(await blobs.keep('unknown', 5)).toBe(false)
  })

  test('is kept together with others, unless one of them was given up', async () => {
    const blobs = openBlobs()
    await blobs.insertAll(['a', 'b', 'c'].map((id) => arriving(id)))

    const all = ['a', 'b'].map((id, size) => ({ id, size }))
    expect(await blobs.keepAll(all)).toBe(true)
    expect(await blobs.byId('b')).toMatchObject({ state: 'kept', size: 1 })
    await blobs.doomArriving(['c'], 10)
    expect(await blobs.keepAll([{ id: 'c', size: 1 }])).toBe(false)
  })
})

test('a doomed blob may be removed once its time has come, the earliest first', async () => {
  const blobs = openBlobs()
  for (const id of ['a', 'b', 'c']) await blobs.insert(arriving(id))
  await blobs.keep('c', 1)
  await blobs.doom(['b'], 20)
  await blobs.doom(['a'], 30)

  expect(await blobs.doomed(19, 9)).toEqual([])
  expect((await blobs.doomed(30, 9)).map(({ id }) => id)).toEqual(['b', 'a'])

  await blobs.remove(['a', 'b'])
  expect((await blobs.after('', 9)).map(({ id }) => id)).toEqual(['c'])
})
