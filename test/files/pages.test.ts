import { expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'

const holdfast = withHoldfast()
const { api } = holdfast

/** Returns two short lists: all files, and the folder `a`. */
async function shown() {
  const files = await api.list({ limit: 10, orderBy: 'name', orderDirection: 'ASC' })
  const browsed = await api.browse({ key: 'a', limit: 10 }).catch(() => undefined)
  return {
    files: files.map(({ key, visibility }) => `${key} ${visibility}`),
    folder: browsed && [...browsed.files, ...browsed.folders].map(({ name }) => name).sort(),
  }
}

test('a short list that is requested again shows each change at once', async () => {
  const file: FileView = await api.upload('f', 'x', 'a')
  const changes: [change: () => Promise<unknown>, files: string[], folder: string[] | undefined][] = [
    [async () => {}, ['a/f public'], ['f']],
    [() => api.upload('g', 'x', 'a'), ['a/f public', 'a/g public'], ['f', 'g']],
    [
      () => api.data('PUT', '/files', { id: file.id, name: 'h', visibility: 'private' }),
      ['a/g public', 'a/h private'],
      ['g', 'h'],
    ],
    [() => api.createFolder('a/deep'), ['a/g public', 'a/h private'], ['deep', 'g', 'h']],
    [
      () => api.data('POST', '/files/move', { id: file.id, folder: 'a/deep' }),
      ['a/g public', 'a/deep/h private'],
      ['deep', 'g'],
    ],
    [
      async () => api.data('PUT', '/folders', { id: file.folderId, visibility: 'private' }),
      ['a/g private', 'a/deep/h private'],
      ['deep', 'g'],
    ],
    [
      async () => api.data('PUT', '/folders', { id: file.folderId, name: 'b' }),
      ['b/g private', 'b/deep/h private'],
      undefined,
    ],
    [async () => api.data('DELETE', '/files', { id: file.id }), ['b/g private'], undefined],
    [async () => api.data('DELETE', '/folders', { id: file.folderId }), [], undefined],
  ]
  for (const [change, files, folder] of changes) {
    await change()
    for (let again = 0; again < 2; again += 1) expect(await shown()).toEqual({ files, folder })
  }
})

test('short lists that differ in anything are different lists', async () => {
  for (const name of ['1', '2', '3']) await api.upload(name, name.repeat(Number(name)))
  const keys = async (parameters: Record<string, string | number>) =>
    (await api.list(parameters)).map(({ key }) => key).join(' ')

  for (let again = 0; again < 2; again += 1) {
    expect(await keys({ limit: 2, orderBy: 'size', orderDirection: 'ASC' })).toBe('1 2')
    expect(await keys({ limit: 2, orderBy: 'size', orderDirection: 'DESC' })).toBe('3 2')
    expect(await keys({ limit: 1, orderBy: 'size', orderDirection: 'DESC' })).toBe('3')
    expect(await keys({ limit: 2, offset: 1, orderBy: 'size', orderDirection: 'ASC' })).toBe('2 3')
    expect(await keys({ limit: 2, name: '2' })).toBe('2')
    expect(await keys({ limit: 2, name: '4' })).toBe('')
  }
})
