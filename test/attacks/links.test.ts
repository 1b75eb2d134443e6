import { describe, expect, test } from 'bun:test'
import { ask, wholeAnswer } from '../hosting/wire.ts'
import { apiOf } from '../support/api.ts'
import { withHoldfast } from '../support/fixture.ts'
import {
  allowOtherSecret,
  type FileView,
  type Holdfast,
  register,
  startHoldfast,
} from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holdfast = withHoldfast({ environment: { DEFAULT_FILE_VISIBILITY: 'private' } })
const { api } = holdfast

/** Creates a link to the file and returns its `exp` and `sig`. */
async function proofFor({ id }: Pick<FileView, 'id'>): Promise<string> {
  const { url } = await api.sign(id)
  return url.slice(url.indexOf('?'))
}

async function expectMissing(target: string): Promise<void> {
  const answer = await ask(holdfast.port, target)
  expect(wholeAnswer(answer)).toEqual(wholeAnswer(await ask(holdfast.port, '/api/hosting/nothing')))
}

// Row 51.
test('a signature opens no other key, however alike', async () => {
  const file = await api.upload('f.txt', 'x', 'signed')
  const proof = await proofFor(file)
  for (const [name, folder] of [
    ['f.tx', 'signed'],
    ['f.txt2', 'signed'],
    ['F.txt', 'signed'],
    ['f.txt', 'signed2'],
    ['f.txt', ''],
    ['txt', 'signed'],
    ['f.txt', 'signed/signed'],
  ] as const) {
    const other = await api.upload(name, 'x', folder)
    await expectMissing(`/${other.url}${proof}`)
  }
  for (const key of ['signed', 'signed/', '', 'signed/f.txt/', 'SIGNED/f.txt']) {
    await expectMissing(`/api/hosting/${key}${proof}`)
  }
  // The second address is the same key: empty segments are dropped.
  for (const address of [file.url, 'api/hosting/signed//f.txt'])
    expect((await ask(holdfast.port, `/${address}${proof}`)).status).toBe(200)
})

// Row 53.
describe('a link ends', () => {
  test.each([
    ['renamed', 'PUT', '/files', { name: 'elsewhere' }],
    ['moved', 'POST', '/files/move', { folder: 'moved away' }],
    ['deleted', 'DELETE', '/files', {}],
  ])(
    'with its file %s, also for a new file at the same key and for the old one elsewhere',
    async (how, method, path, change) => {
      const file = await api.upload(`f ${how}`, 'first', 'links')
      const proof = await proofFor(file)
      expect((await ask(holdfast.port, `/${file.url}${proof}`)).status).toBe(200)

      await api.data(method, path, { id: file.id, ...change })
      await expectMissing(`/${file.url}${proof}`)
      await api.upload(file.name, 'another', 'links')

      await expectMissing(`/${file.url}${proof}`)
      for (const { id, url } of await api.list()) if (id === file.id) await expectMissing(`/${url}${proof}`)
    },
  )
})

// Row 84.
test('another secret ends sessions permanently and links while it applies, but no keys or passwords', async () => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  const start = (secret: string) => {
    allowOtherSecret(dataPath)
    return startHoldfast({ dataPath, environment: { AUTH_SECRET: secret } })
  }
  const first = await start('the first secret of this instance')
  const account = await register(first)
  const { upload, sign } = apiOf(first, account)
  const { url } = await sign((await upload('f', 'x', '', 'private')).id)
  const statuses = async ({ fetch }: Holdfast) => [
    (await fetch(`/${url}`)).status,
    (await fetch('/api/me', { headers: { Cookie: account.cookie } })).status,
    (await fetch('/api/files', { headers: account.withKey })).status,
  ]
  expect(await statuses(first)).toEqual([200, 200, 200])
  await first.stop()

  for (const [secret, expected] of [
    ['another secret of this instance', [404, 401, 200]],
    ['the first secret of this instance', [200, 401, 200]],
  ] as const) {
    const later = await start(secret)
    expect(await statuses(later)).toEqual([...expected])
    await later.stop()
  }
})
