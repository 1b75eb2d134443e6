import { describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { headersOf } from './wire.ts'

const clock = new TestClock()
const holdfast = withInside({ isAlone: true, clock })
const { api } = holdfast

const ask = (url: string, headers: Record<string, string> = {}) => holdfast.fetch(`/${url}`, { headers })
const change = (method: string, path: string, body: object) => api.data(method, path, body)

/** Returns the id of a folder in the root. */
const folderId = async (name: string) =>
  (await api.browse()).folders.find((folder) => folder.name === name)?.id

let names = 0
/** Uploads a private file, and signs a link for which it is cached. */
async function hotLink(expiresIn = 60): Promise<{ file: FileView; link: string }> {
  const file = await api.upload(`secret${names++}.txt`, 'a secret', 'links/deep', 'private')
  const { url: link } = await api.sign(file.id, expiresIn)
  for (let n = 0; n < 2; n += 1) expect(await (await ask(link)).text()).toBe('a secret')
  return { file, link }
}

describe('a private file cached for its link', () => {
  test('gets the same responses as from disk, ranges and conditions too', async () => {
    const { link } = await hotLink()
    for (const headers of [{}, { Range: 'bytes=2-4' }, { 'If-None-Match': '*' }, { 'If-None-Match': '""' }]) {
      const fromMemory = await ask(link, headers)
      const fromDisk = await ask(link, { ...headers, Cookie: 'none=1' })

      expect([fromMemory.status, headersOf(fromMemory)]).toEqual([fromDisk.status, headersOf(fromDisk)])
      expect(await fromMemory.text()).toBe(await fromDisk.text())
    }
  })

  test('gets 404 with any other link and without one', async () => {
    const { file, link } = await hotLink()
    const other = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const later = link.replace(/exp=(\d+)/, (_, expires) => `exp=${Number(expires) + 1}`)

    for (const url of [file.url, other, later, `${file.url}?exp=1&sig=x`, `${file.url}?`])
      expect([url, (await ask(url)).status]).toEqual([url, 404])
  })

  test.each([
    ['an API key', () => holdfast.withKey],
    ['a session', () => ({ Cookie: holdfast.cookie })],
  ])('stays closed to visitors after %s opened it beside a wrong link', async (_, credentials) => {
    const { file } = await hotLink()
    for (const query of ['?exp=9999999999&sig=x', ''])
      for (let n = 0; n < 2; n += 1) expect((await ask(file.url + query, credentials())).status).toBe(200)

    for (const query of ['?exp=9999999999&sig=x', ''])
      expect([query, (await ask(file.url + query)).status]).toEqual([query, 404])
  })

  test('gets 404 once the link expires', async () => {
    const { link } = await hotLink(60)
    clock.advance(59_000)
    expect((await ask(link)).status).toBe(200)
    clock.advance(1000)

    expect((await ask(link)).status).toBe(404)
  })

  test.each<[string, (file: FileView) => Promise<unknown>]>([
    ['it was deleted', ({ id }) => change('DELETE', '/files', { id })],
    ['it was renamed', ({ id }) => change('PUT', '/files', { id, name: `renamed${names}.txt` })],
    [
      'a folder above it was renamed',
      async () => change('PUT', '/folders', { id: await folderId('links'), name: `links${names}` }),
    ],
  ])('gets 404 once %s', async (_, remove) => {
    const { file, link } = await hotLink()

    await remove(file)

    expect((await ask(link)).status).toBe(404)
  })

  test('may be stored by caches once it is public', async () => {
    const { file, link } = await hotLink()

    await change('PUT', '/files', { id: file.id, visibility: 'public' })

    expect((await ask(link)).headers.get('cache-control')).toStartWith('public')
  })

  test('is counted', async () => {
    const { file, link } = await hotLink()
    await ask(link)
    await holdfast.server.modules.hosting.traffic.flush()

    const day = new Date(clock.now()).toISOString().slice(0, 10)
    expect(holdfast.catalog.traffic.file(file.id, day)).toMatchObject({ requests: 3, bytes: 24 })
  })
})

describe('a cached public file', () => {
  const hotFile = async () => {
    const file = await api.upload(`open${names++}.txt`, 'open', 'open/deep')
    for (let n = 0; n < 2; n += 1) expect(await (await ask(file.url)).text()).toBe('open')
    return file
  }

  test.each<[string, (file: FileView) => Promise<unknown>]>([
    ['it was renamed', ({ id }) => change('PUT', '/files', { id, name: `moved${names}.txt` })],
    ['it was made private', ({ id }) => change('PUT', '/files', { id, visibility: 'private' })],
    [
      'its folder was made private',
      async () => change('PUT', '/folders', { id: await folderId('open'), visibility: 'private' }),
    ],
    [
      'a folder above it was renamed',
      async () => change('PUT', '/folders', { id: await folderId('open'), name: `open${names}` }),
    ],
  ])('gets 404 once %s', async (_, remove) => {
    const { url, ...file } = await hotFile()

    await remove({ url, ...file })

    expect((await ask(url)).status).toBe(404)
  })
})
