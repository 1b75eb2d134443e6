import { expect } from 'bun:test'
import { apiOf } from './api.ts'
import type { Account, Inside } from './holdfast.ts'
import { trashOf } from './trash.ts'

/** Creates a file in folders, one with a version, and one in the trash. */
export async function fill(holdfast: Inside, account: Account) {
  const api = apiOf(holdfast, account)
  await api.upload('a.txt', 'first', 'deep/er')
  const changed = await api.upload('changed.txt', 'before')
  await holdfast.fetch(`/api/files/content?id=${changed.id}`, {
    method: 'PUT',
    body: 'after',
    headers: account.withKey,
  })
  const trashed = await api.upload('trashed.txt', 'trashed')
  await trashOf(api).put({ fileIds: [trashed.id] })
  return { changed, trashed, list: await api.list() }
}

/** Expects that an instance has everything that `fill` made, by the credentials of before. */
export async function expectAll(
  holdfast: Inside,
  account: Account,
  { changed, trashed, list }: Awaited<ReturnType<typeof fill>>,
): Promise<void> {
  const api = apiOf(holdfast, account)
  const contentOf = async (id: string) =>
    (await holdfast.fetch(`/api/files/download/${id}`, { headers: account.withKey })).text()
  expect(await api.list()).toEqual(list)
  expect((await holdfast.fetch('/api/me', { headers: { Cookie: account.cookie } })).status).toBe(200)
  expect(await api.hosted('deep/er/a.txt')).toBe('first')
  expect(await contentOf(changed.id)).toBe('after')
  const { store } = holdfast.server.deps
  const [version] = await store.versions.after('', 9)
  const opened = version && (await store.openVersion(version))
  expect(Buffer.concat(opened ? await Array.fromAsync(opened.chunks()) : []).toString()).toBe('before')
  await trashOf(api).restore(trashed.id)
  expect(await contentOf(trashed.id)).toBe('trashed')
  await trashOf(api).put({ fileIds: [trashed.id] })
}
