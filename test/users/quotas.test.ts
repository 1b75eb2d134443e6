import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AccountStorage, AccountUsage } from '../../src/client/types.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, messageOf } from '../support/holdfast.ts'
import { bytes, createLimited } from './limited.ts'

const KIB = 1024

/** Returns the used bytes and the limits of those of the accounts that there are. */
async function usageOf(...ids: string[]) {
  const { accounts } = await holdfast.admin.api.data<{ accounts: AccountUsage[] }>('GET', '/users/usage')
  return accounts.filter(({ id }) => ids.includes(id)).map(({ usedBytes, quota }) => [usedBytes, quota])
}

const holdfast = withInside()
let limited: Awaited<ReturnType<typeof createLimited>>
beforeEach(async () => {
  limited = await createLimited(holdfast)
})
afterEach(async () => {
  const { files, folders } = await holdfast.bySession.browse()
  for (const { id } of folders) await holdfast.bySession.data('DELETE', '/folders', { id })
  for (const { id } of files) await holdfast.bySession.data('DELETE', '/files', { id })
  await holdfast.bySession.data('PUT', '/settings', { versionDays: 30 })
})

describe('the storage of an account', () => {
  test('counts files, versions and the trash until they are deleted for good', async () => {
    const { admin, editor, used, store, replace, expectCounted } = limited
    const file = await store('a.txt', 100)
    await admin.api.upload('other.txt', bytes(7))
    expect(await used()).toBe(100)

    await replace(file.id, 40)
    expect(await used()).toBe(140)
    await editor.api.data('POST', '/files/copy', { fileIds: [file.id], folder: 'copies' })
    expect(await used()).toBe(180)
    await editor.api.data('POST', '/trash', { fileIds: [file.id] })
    expect(await used()).toBe(180)
    await editor.api.data('POST', '/trash/restore', { ids: [file.id] })
    expect(await used()).toBe(180)
    const { versions } = await editor.api.data<{ versions: { id: string }[] }>(
      'GET',
      `/files/versions?id=${file.id}`,
    )
    await editor.api.data('DELETE', `/files/versions?id=${versions[0]?.id}`)
    expect(await used()).toBe(80)
    await admin.api.send('PUT', `/files/content?id=${file.id}`, 'theirs')
    expect(await used()).toBe(80)
    await editor.api.data('POST', '/trash', { fileIds: [file.id] })
    await editor.api.data('DELETE', '/trash', { ids: [file.id] })

    expect(await used()).toBe(40)
    await expectCounted()
  })

  test('is shown to admins with its limit, and to the account itself', async () => {
    const { admin, editor, setQuota, store } = limited
    await store('a.txt', 100)
    expect(await setQuota(500)).toEqual({ usedBytes: 100, quota: 500 })

    expect(await usageOf(admin.id, editor.id)).toEqual([
      [0, null],
      [100, 500],
    ])
    expect(await editor.api.data<AccountStorage>('GET', '/me/usage')).toEqual({ usedBytes: 100, quota: 500 })
    expect(await setQuota(400)).toEqual({ usedBytes: 100, quota: 400 })
    expect(await setQuota(null)).toEqual({ usedBytes: 100, quota: null })
    const [entry] = holdfast.catalog.activities.newest(admin.id, 1)
    expect([entry?.type, entry?.target, entry?.detail]).toEqual([
      'user.quota-changed',
      editor.email,
      'no limit',
    ])
  })

  test('is limited by admins alone, to a number of bytes', async () => {
    const { admin, editor } = limited
    const put = (id: string, quota: unknown) => admin.api.refusal('PUT', '/users/quota', { id, quota })

    expect((await editor.api.send('PUT', '/users/quota', { id: editor.id, quota: null })).status).toBe(403)
    expect(await put('none', 1)).toEqual([404, 'User not found'])
    for (const quota of [-1, 0.5, '1 GB', 2 ** 53]) expect((await put(editor.id, quota))[0]).toBe(400)
    expect((await admin.api.data<AccountStorage>('GET', '/me/usage')).quota).toBeNull()
  })

  test('stays with the files of a deleted account, and its limit goes', async () => {
    const { admin, editor, setQuota, store, expectCounted } = limited
    const file = await store('a.txt', 100)
    await setQuota(500)
    await admin.api.data('DELETE', '/users', { id: editor.id })
    const viewer = await holdfast.addUser('viewer')

    expect(await usageOf(admin.id, editor.id, viewer.id)).toEqual([
      [0, null],
      [0, null],
    ])
    await admin.api.data('DELETE', '/files', { id: file.id })
    await expectCounted()
  })
})

describe('a full account', () => {
  test('gets 507 with the reason and a remedy, and stores what fits', async () => {
    const { setQuota, send, store, expectCounted, expectNothingLeft } = limited
    await store('a.txt', 800)
    await setQuota(1000)

    await expectNothingLeft(async () => {
      const refused = await send('b.txt', 201)
      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe(
        'These files need 201 B, but your storage has 200 B left. Delete files for good, or ask an admin',
      )
    })
    await setQuota(6 * KIB)
    // Rounded apart: not "5.1 KiB" of each.
    expect(await messageOf(await send('b.txt', 6 * KIB - 795))).toContain(
      'need 5.3 KiB, but your storage has 5.2 KiB left',
    )
    await setQuota(1000)
    expect((await send('b.txt', 200)).status).toBe(200)
    expect((await send('empty.txt', 0)).status).toBe(200)
    expect((await send('c.txt', 1)).status).toBe(507)
    await setQuota(10)
    expect((await send('c.txt', 1)).status).toBe(507)
    await setQuota(null)
    expect((await send('c.txt', 1)).status).toBe(200)
    await expectCounted()
  })

  test('stores one of many files that are sent at once and fit alone', async () => {
    const { admin, editor, used, setQuota, send, replace, expectCounted } = limited
    await setQuota(1000)
    const sent: Promise<Response>[] = []
    for (let n = 0; n < 12; n += 1) sent.push(send(`${n}.txt`, 600))
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort()

    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 507)])
    const [file] = (await editor.api.list()) as [FileView]
    await admin.api.data('PUT', '/settings', { versionDays: 30 })
    await setQuota(1600)
    const three = await Promise.all([replace(file.id, 500), replace(file.id, 501), send('new.txt', 502)])
    expect(three.filter(({ status }) => status === 200).length).toBe(1)
    expect(await used()).toBeLessThanOrEqual(1600)
    await expectCounted()
  })
})
