import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { FileDetails as Details } from '../../src/client/types.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api } = holdfast

const detailsOf = (id: string) => api.data<Details>('GET', `/files/details?id=${id}`)

describe('the details of a file', () => {
  test('are its checksum and its requests, day by day', async () => {
    const file = await api.upload('seen.txt', 'hello')
    await (await holdfast.fetch(`/${file.url}`)).text()
    clock.advance(86_400_000)
    await (await holdfast.fetch(`/${file.url}`)).text()
    await (await holdfast.fetch(`/${file.url}`)).text()

    const details = await detailsOf(file.id)

    expect(details.file).toEqual(file)
    expect(details.sha256).toBe(createHash('sha256').update('hello').digest('hex'))
    expect(details.traffic).toMatchObject({ requests: 3, bytes: 15 })
    expect(details.traffic.days).toHaveLength(30)
    expect(details.traffic.days.slice(-3)).toEqual([
      { date: '2026-02-28', requests: 0, bytes: 0 },
      { date: '2026-03-01', requests: 1, bytes: 5 },
      { date: '2026-03-02', requests: 2, bytes: 10 },
    ])
  })

  test('name the account that uploaded it, also once that is deleted', async () => {
    const editor = await holdfast.addUser('editor')
    const { id } = await editor.api.upload('theirs.txt', 'x')
    const uploader = async () => (await detailsOf(id)).uploadedBy

    expect(await uploader()).toEqual({ id: editor.id, name: 'A editor' })
    await holdfast.bySession.data('DELETE', '/users', { id: editor.id })

    expect(await uploader()).toEqual({ id: editor.id, name: null })
  })

  test('are found by key, too, and need one or the other', async () => {
    await api.upload('k.txt', 'x', 'deep')

    for (const [query, status] of Object.entries({ 'key=deep/k.txt': 200, '': 400, 'id=nope': 404 }))
      expect([query, await api.status('GET', `/files/details?${query}`)]).toEqual([query, status])
  })
})
