import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

let files: FileView[]
const holdfast = withHoldfast()
const { api, bySession: admin } = holdfast
beforeAll(async () => {
  files = [
    await api.upload('a.txt', 'in the root'),
    await api.upload('b.txt', 'below', 'one'),
    await api.upload('c.txt', 'deep below', 'one/two/three'),
  ]
})
beforeEach(async () => {
  await apply('public')
})

const apply = (visibility: string) =>
  admin.data<{ updated: number }>('POST', '/settings/apply-visibility', { visibility })
const visibilities = async () => (await api.list()).map(({ visibility }) => visibility)

describe('POST /api/settings/apply-visibility', () => {
  test('gives every file in every folder the visibility and answers with the number changed', async () => {
    expect(await apply('private')).toEqual({ updated: 3 })

    expect(await visibilities()).toEqual(['private', 'private', 'private'])
    expect(await admin.data<unknown>('GET', '/settings')).toMatchObject({
      defaultVisibility: 'public',
      visibilityCounts: { public: 0, private: 3 },
    })
  })

  test('counts only the files that changed', async () => {
    await api.data('PUT', '/files', { id: files[0]?.id, visibility: 'private' })

    expect(await apply('private')).toEqual({ updated: 2 })
    expect(await apply('private')).toEqual({ updated: 0 })
  })

  test('leaves keys and bytes untouched', async () => {
    await apply('private')

    for (const file of files)
      expect(await api.file(file.id)).toMatchObject({ key: file.key, size: file.size, url: file.url })
    expect((await storedIn(holdfast).read({ key: 'one/b.txt' })).toString()).toBe('below')
  })

  test('breaks the plain links of files made private at once; signed links keep working', async () => {
    const { url } = await api.sign(files[1]?.id ?? '')
    expect([await api.hosted('one/b.txt'), await api.hosted('one/b.txt')]).toEqual(['below', 'below'])

    await apply('private')

    expect(await api.hosted('one/b.txt')).toBe(404)
    expect(await (await holdfast.fetch(`/${url}`)).text()).toBe('below')
    await apply('public')
    expect(await api.hosted('one/b.txt')).toBe('below')
  })

  test.each([[{}], [{ visibility: 'hidden' }], [{ visibility: null }], [{ visibility: true }], [[]]])(
    'refuses %j and changes nothing',
    async (body) => {
      const [status, message] = await admin.refusal('POST', '/settings/apply-visibility', body)

      expect(status).toBe(400)
      expect(message).toMatch(/visibility|body/)
      expect(await visibilities()).toEqual(['public', 'public', 'public'])
    },
  )
})
