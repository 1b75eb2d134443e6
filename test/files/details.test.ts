import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { bySession } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock, upload } from '../support/holdfast.ts'

interface Details {
  file: FileView
  sha256: string
  uploadedBy: { id: string; name: string | null } | null
  traffic: { requests: number; bytes: number; days: { date: string; requests: number; bytes: number }[] }
}

const clock = new TestClock()
const holdfast = withInside({ clock })

const ask = (query: string) => holdfast.fetch(`/api/files/details?${query}`, { headers: holdfast.withKey })

describe('the details of a file', () => {
  test('are its checksum and its requests, day by day', async () => {
    const file = await holdfast.api.upload('seen.txt', 'hello')
    await (await holdfast.fetch(`/${file.url}`)).text()
    clock.advance(86_400_000)
    await (await holdfast.fetch(`/${file.url}`)).text()
    await (await holdfast.fetch(`/${file.url}`)).text()

    const { data } = (await (await ask(`id=${file.id}`)).json()) as { data: Details }

    expect(data.file).toEqual(file)
    expect(data.sha256).toBe(createHash('sha256').update('hello').digest('hex'))
    expect(data.traffic).toMatchObject({ requests: 3, bytes: 15 })
    expect(data.traffic.days).toHaveLength(30)
    expect(data.traffic.days.slice(-3)).toEqual([
      { date: '2026-02-28', requests: 0, bytes: 0 },
      { date: '2026-03-01', requests: 1, bytes: 5 },
      { date: '2026-03-02', requests: 2, bytes: 10 },
    ])
  })

  test('name the account that uploaded it, also once that is deleted', async () => {
    const editor = await holdfast.addUser('editor')
    const { id } = await upload(holdfast, editor.withSession, { name: 'theirs.txt', content: 'x' })
    const uploader = async () => ((await (await ask(`id=${id}`)).json()) as { data: Details }).data.uploadedBy

    expect(await uploader()).toEqual({ id: editor.id, name: 'A editor' })
    await bySession(holdfast, holdfast.cookie).data('DELETE', '/users', { id: editor.id })

    expect(await uploader()).toEqual({ id: editor.id, name: null })
  })

  test('are found by key, too, and need one or the other', async () => {
    await holdfast.api.upload('k.txt', 'x', 'deep')

    expect((await ask('key=deep/k.txt')).status).toBe(200)
    expect((await ask('')).status).toBe(400)
    expect((await ask('id=nope')).status).toBe(404)
  })
})
