import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, wholeAnswer } from '../hosting/wire.ts'
import { type Api, apiOf } from '../support/api.ts'
import {
  allowOtherSecret,
  type FileView,
  type Holdfast,
  register,
  startHoldfast,
  upload,
} from '../support/holdfast.ts'

let holdfast: Holdfast
let api: Api
let withKey: Record<string, string>
beforeAll(async () => {
  holdfast = await startHoldfast({ environment: { DEFAULT_FILE_VISIBILITY: 'private' } })
  ;({ withKey } = await register(holdfast))
  api = apiOf(holdfast, { withKey })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

/** Creates a link to the file and returns its `exp` and `sig`. */
async function proofFor({ id }: Pick<FileView, 'id'>): Promise<string> {
  const { url } = await api.data<{ url: string }>('POST', '/files/sign', { id })
  return url.slice(url.indexOf('?'))
}

async function expectMissing(target: string): Promise<void> {
  const [answer, missing] = [
    await ask(holdfast.port, target),
    await ask(holdfast.port, '/api/hosting/nothing'),
  ]
  expect(wholeAnswer(answer)).toEqual(wholeAnswer(missing))
}

// Row 51.
test('a signature opens no other key, however alike', async () => {
  const file = await upload(holdfast, withKey, { name: 'f.txt', content: 'x', folder: 'signed' })
  const proof = await proofFor(file)
  for (const [name, folder] of [
    ['f.tx', 'signed'],
    ['f.txt2', 'signed'],
    ['f.txt', 'signed2'],
    ['f.txt', ''],
    ['txt', 'signed'],
    ['f.txt', 'signed/signed'],
  ] as const) {
    const other = await upload(holdfast, withKey, { name, content: 'x', folder })
    await expectMissing(`/${other.url}${proof}`)
  }
  for (const key of ['signed', 'signed/', '', 'signed/f.txt/', 'signed//f.txt', 'SIGNED/f.txt']) {
    await expectMissing(`/api/hosting/${key}${proof}`)
  }
  expect((await ask(holdfast.port, `/${file.url}${proof}`)).status).toBe(200)
})

// Row 53.
describe('a link ends', () => {
  const rename = ({ id }: FileView) => api.data('PUT', '/files', { id, name: 'elsewhere' })
  const move = ({ id }: FileView) => api.data('POST', '/files/move', { id, folder: 'moved away' })
  const remove = ({ id }: FileView) => api.data('DELETE', '/files', { id })

  test.each([
    ['renamed', rename],
    ['moved', move],
    ['deleted', remove],
  ])(
    'with its file %s, also for a new file at the same key and for the old one elsewhere',
    async (how, change) => {
      const file = await api.upload(`f ${how}`, 'first', 'links')
      const proof = await proofFor(file)
      expect((await ask(holdfast.port, `/${file.url}${proof}`)).status).toBe(200)

      await change(file)
      await expectMissing(`/${file.url}${proof}`)
      await api.upload(file.name, 'another', 'links')

      await expectMissing(`/${file.url}${proof}`)
      for (const { id, url } of await api.list()) if (id === file.id) await expectMissing(`/${url}${proof}`)
    },
  )
})

// Row 84.
test('another secret ends sessions permanently and links while it applies, but no keys or passwords', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const start = (secret: string) => {
    allowOtherSecret(dataPath)
    return startHoldfast({ dataPath, environment: { AUTH_SECRET: secret } })
  }
  const first = await start('the first secret of this instance')
  const account = await register(first)
  const file = await upload(first, account.withKey, { name: 'f', content: 'x', visibility: 'private' })
  const { url } = await apiOf(first, account).data<{ url: string }>('POST', '/files/sign', { id: file.id })
  const statuses = async ({ fetch }: Holdfast) => [
    (await fetch(`/${url}`)).status,
    (await fetch('/api/me', { headers: { Cookie: account.cookie } })).status,
    (await fetch('/api/files', { headers: account.withKey })).status,
  ]
  expect(await statuses(first)).toEqual([200, 200, 200])
  await first.stop()

  const second = await start('another secret of this instance')
  const afterwards = await statuses(second)
  await second.stop()
  const third = await start('the first secret of this instance')
  const again = await statuses(third)
  await third.stop()
  rmSync(dataPath, { recursive: true })

  expect(afterwards).toEqual([404, 401, 200])
  expect(again).toEqual([200, 401, 200])
})
