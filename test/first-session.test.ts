import { describe, expect, test } from 'bun:test'
import { startWithAccount } from './support/fixture.ts'
import {
  BASE_URL,
  filesUnder,
  messageOf,
  register,
  sendUpload,
  startHoldfast,
  upload,
} from './support/holdfast.ts'

const FROM_PAGE = { headers: { Origin: BASE_URL } }

describe('a first session', () => {
  test('registers, makes a key, uploads, hosts and shares', async () => {
    await using holdfast = await startHoldfast()
    expect(await (await holdfast.fetch('/api/setup', FROM_PAGE)).json()).toEqual({
      data: { needed: true },
      error: null,
    })

    const { withKey } = await register(holdfast)
    const file = await upload(holdfast, withKey, { name: 'a.txt', content: 'hello', folder: 'docs/2026' })
    const hosted = await holdfast.fetch(`/${file.url}`)

    expect(await (await holdfast.fetch('/api/setup', FROM_PAGE)).json()).toEqual({
      data: { needed: false },
      error: null,
    })
    expect(file).toMatchObject({
      key: 'docs/2026/a.txt',
      size: 5,
      visibility: 'public',
      mimeType: 'text/plain',
    })
    expect(await hosted.text()).toBe('hello')
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('refuses a second file of the same name and keeps the first', async () => {
    await using holdfast = await startWithAccount()
    const { withKey } = holdfast
    const file = await upload(holdfast, withKey, { name: 'a.txt', content: 'first' })

    const refused = await sendUpload(holdfast, withKey, { files: { 'a.txt': 'second' } })

    expect(refused.status).toBe(409)
    expect(await messageOf(refused)).toContain('"a.txt"')
    expect(await (await holdfast.fetch(`/${file.url}`)).text()).toBe('first')
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })
})
