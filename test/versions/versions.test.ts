import { describe, expect, test } from 'bun:test'
import type { Version } from '../../src/client/types.ts'
import { withInside } from '../support/fixture.ts'
import { createKey, type FileView, TestClock } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'

const DAY_MS = 86_400_000
const clock = new TestClock()
const holdfast = withInside({ clock })
const { api } = holdfast

let names = 0
const newFile = (content: string, folder = '') => api.upload(`file${names++}.txt`, content, folder)
const replace = (id: string, body: string) => holdfast.api.replace(id, body)
const versionsOf = async (id: string) =>
  (await api.data<{ versions: Version[] }>('GET', `/files/versions?id=${id}`)).versions
const content = (id: string, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/api/files/versions/content?id=${id}`, { headers: { ...holdfast.withKey, ...headers } })
const restore = async (id: string) =>
  (await api.data<{ file: FileView }>('POST', '/files/versions/restore', { id })).file
const setDays = (versionDays: number) => holdfast.bySession.send('PUT', '/settings', { versionDays })
const total = async () =>
  (await api.data<{ files: { versions: { count: number; size: number } } }>('GET', '/stats')).files.versions
const lastActivity = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]

/** Creates a file with the given states, of which the last is current. */
async function withStates(...states: string[]): Promise<FileView> {
  const file = await newFile(states[0] ?? '')
  for (const state of states.slice(1)) expect((await replace(file.id, state)).status).toBe(200)
  return file
}

describe('versions', () => {
  test('are listed newest first, and are counted', async () => {
    const before = await total()
    const file = await withStates('first', 'the second', 'third')

    const versions = await versionsOf(file.id)

    expect(versions).toMatchObject([
      { size: 10, mimeType: 'text/plain', uploadedBy: holdfast.userId },
      { size: 5, writtenAt: file.updatedAt, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(await total()).toEqual({ count: before.count + 2, size: before.size + 15 })
    expect(holdfast.catalog.check.wrongTotals()).toEqual([])
    await expectNoIntents(holdfast)
    expect(await storedIn(holdfast).versions()).toEqual(expect.arrayContaining(versions.map(({ id }) => id)))
  })

  test('are listed in pages', async () => {
    const file = await withStates('1', '22', '333', '4444')
    const sizesOf = async (page: string) => (await versionsOf(`${file.id}${page}`)).map(({ size }) => size)
    expect(await sizesOf('')).toEqual([3, 2, 1])
    expect(await sizesOf('&limit=2')).toEqual([3, 2])
    expect(await sizesOf('&limit=2&offset=2')).toEqual([1])
    expect(await sizesOf('&limit=0')).toEqual([])
    expect((await api.refusal('GET', `/files/versions?id=${file.id}&limit=1001`))[0]).toBe(400)
    expect((await api.refusal('GET', `/files/versions?id=${file.id}&offset=-1`))[0]).toBe(400)
  })

  test('are downloaded, with ranges and conditions', async () => {
    const file = await withStates('0123456789', 'now')
    const [version] = await versionsOf(file.id)
    const whole = await content(version?.id ?? '')
    expect(await whole.text()).toBe('0123456789')
    expect(whole.headers.get('content-disposition')).toContain(`attachment; filename="${file.name}"`)
    const part = await content(version?.id ?? '', { Range: 'bytes=3-5' })
    expect([part.status, await part.text()]).toEqual([206, '345'])
    const etag = whole.headers.get('etag') ?? ''
    expect((await content(version?.id ?? '', { 'If-None-Match': etag })).status).toBe(304)
    expect((await content(version?.id ?? '', { 'If-Match': '"other"' })).status).toBe(412)
    expect((await content(version?.id ?? '', { Range: 'bytes=10-' })).status).toBe(416)
  })

  test('are restored; the present bytes become a version, too', async () => {
    const file = await withStates('good', 'a mistake')
    const [good] = await versionsOf(file.id)

    const restored = await restore(good?.id ?? '')

    expect(restored).toMatchObject({ id: file.id, key: file.key, size: 4, createdAt: file.createdAt })
    expect(await api.hosted(file.key)).toBe('good')
    const versions = await versionsOf(file.id)
    expect(versions.map(({ size }) => size)).toEqual([9, 4])
    expect(lastActivity()).toMatchObject({ type: 'version.restored', target: file.name })
    expect(await (await content(versions[0]?.id ?? '')).text()).toBe('a mistake')
  })

  test('with damaged bytes are not restored', async () => {
    const file = await withStates('good', 'now')
    const [version] = await versionsOf(file.id)
    await storedIn(holdfast).damage({ versionId: version?.id ?? '' }, 'rot!')
    expect(await api.refusal('POST', '/files/versions/restore', { id: version?.id })).toEqual([
      409,
      'The bytes of this version are damaged, so it cannot be restored',
    ])
    expect(await api.hosted(file.key)).toBe('now')
  })

  test('are deleted one by one', async () => {
    const file = await withStates('one', 'two', 'three')
    const [newer, older] = await versionsOf(file.id)
    await api.data('DELETE', `/files/versions?id=${older?.id}`)
    expect((await versionsOf(file.id)).map(({ id }) => id)).toEqual([newer?.id ?? ''])
    expect(await storedIn(holdfast).versions()).not.toContain(older?.id ?? '')
    expect(lastActivity()).toMatchObject({ type: 'version.deleted', target: file.name })
    expect(await api.refusal('DELETE', `/files/versions?id=${older?.id}`)).toEqual([404, 'Version not found'])
  })

  test('stay with a file that is renamed and moved, and go with one that is deleted', async () => {
    const file = await withStates('one', 'two')
    await api.data('PUT', '/files', { id: file.id, name: `renamed${names++}.txt` })
    await api.data('POST', '/files/move', { id: file.id, folder: 'moved' })
    const [version] = await versionsOf(file.id)
    await api.data('DELETE', '/files', { id: file.id })
    expect(holdfast.catalog.versions.byId(version?.id ?? '')).toBeUndefined()
    expect(await storedIn(holdfast).versions()).not.toContain(version?.id ?? '')
    expect((await content(version?.id ?? '')).status).toBe(404)
  })

  test('go with the folder of their file', async () => {
    const file = await newFile('one', 'to be deleted/below')
    await replace(file.id, 'two')
    const [version] = await versionsOf(file.id)
    const folders = await api.browse({ key: 'to be deleted' })
    await api.data('DELETE', '/folders', { id: folders.folders[0]?.parentId })
    await expectNoIntents(holdfast)
    expect(holdfast.catalog.versions.byId(version?.id ?? '')).toBeUndefined()
    expect(await storedIn(holdfast).versions()).not.toContain(version?.id ?? '')
    expect(holdfast.catalog.check.wrongTotals()).toEqual([])
  })

  test('stay with a file in the trash, and go when it is removed from there', async () => {
    for (const inFolder of [false, true]) {
      const folder = inFolder ? `trashed${names}/below` : 'kept'
      const file = await newFile('one', folder)
      await replace(file.id, 'two')
      const versions = await versionsOf(file.id)
      const { folders } = await api.browse()
      const top = folders.find(({ key }) => key === folder.split('/')[0])?.id
      const body = inFolder ? { folderIds: [top] } : { fileIds: [file.id] }
      await api.data('POST', '/trash', body)
      expect(await api.refusal('GET', `/files/versions?id=${file.id}`)).toEqual([404, 'File not found'])
      expect((await content(versions[0]?.id ?? '')).status).toBe(404)

      const item = inFolder ? top : file.id
      await api.data('POST', '/trash/restore', { ids: [item] })
      expect(await versionsOf(file.id)).toEqual(versions)

      await api.data('POST', '/trash', body)
      await api.data('DELETE', '/trash', { ids: [item] })
      expect(holdfast.catalog.versions.byId(versions[0]?.id ?? '')).toBeUndefined()
      expect(await storedIn(holdfast).versions()).not.toContain(versions[0]?.id ?? '')
    }
  })

  test('need the scopes of files', async () => {
    const file = await withStates('one', 'two')
    const [version] = await versionsOf(file.id)
    const key = await createKey(holdfast, holdfast.cookie, { name: 'writer', scopes: ['files:write'] })
    const by = (method: string, path: string, body?: object) =>
      holdfast.fetch(`/api/files/versions${path}`, {
        method,
        headers: { 'API-Key': key },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect((await by('GET', `?id=${file.id}`)).status).toBe(403)
    expect((await by('GET', `/content?id=${version?.id}`)).status).toBe(403)
    expect((await by('DELETE', `?id=${version?.id}`)).status).toBe(403)
    expect((await by('POST', '/restore', { id: version?.id })).status).toBe(200)
    expect((await by('POST', '/restore', { id: 'unknown' })).status).toBe(404)
    expect(await api.refusal('GET', '/files/versions?id=unknown')).toEqual([404, 'File not found'])
  })

  test('are read to their end when they are deleted meanwhile', async () => {
    const old = 'v'.repeat(16 * 1024 ** 2)
    const file = await withStates(old, 'now')
    const [version] = await versionsOf(file.id)
    const response = await content(version?.id ?? '')
    await api.data('DELETE', `/files/versions?id=${version?.id}`)
    expect((await response.text()).length).toBe(old.length)
  })
})

describe('versionDays', () => {
  test('removes versions past their days', async () => {
    expect((await setDays(5)).status).toBe(200)
    const file = await withStates('one', 'two')
    clock.advance(3 * DAY_MS)
    await replace(file.id, 'three')
    clock.advance(3 * DAY_MS)

    await holdfast.server.jobs.runAll()

    expect((await versionsOf(file.id)).map(({ size }) => size)).toEqual([3])
    expect(holdfast.catalog.check.wrongTotals()).toEqual([])
  })

  test('of 0 keeps none, and removes those that exist', async () => {
    const file = await withStates('one', 'two')
    expect((await setDays(0)).status).toBe(200)
    await holdfast.server.jobs.runAll()
    expect(await total()).toEqual({ count: 0, size: 0 })
    await replace(file.id, 'three')
    expect(await versionsOf(file.id)).toEqual([])
    await expectNoIntents(holdfast)
    expect(await storedIn(holdfast).versions()).toEqual([])
    expect((await setDays(30)).status).toBe(200)
  })

  test('is a whole number of days', async () => {
    for (const days of [-1, 1.5, 36_501]) expect((await setDays(days)).status).toBe(400)
  })
})
