import { expect } from 'bun:test'
import type { AccountStorage } from '../../src/client/types.ts'
import { addUser, registerAdmin } from '../support/accounts.ts'
import { type Inside, sendUpload, upload } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { countStaged } from '../uploads/tus.ts'

export const bytes = (count: number) => 'x'.repeat(count)

/** Creates an editor whose storage an admin limits. */
export async function createLimited(holdfast: Inside) {
  const admin = await registerAdmin(holdfast)
  const editor = await addUser(holdfast, { role: 'editor' })
  const headers = editor.withSession
  const used = async () => (await editor.api.data<AccountStorage>('GET', '/me/usage')).usedBytes
  const keys = () => storedIn(holdfast).keys()
  return {
    holdfast,
    admin,
    editor,
    used,
    keys,
    setQuota: (quota: number | null) =>
      admin.api.data<AccountStorage>('PUT', '/users/quota', { id: editor.id, quota }),
    send: (name: string, count: number) => sendUpload(holdfast, headers, { files: { [name]: bytes(count) } }),
    store: (name: string, count: number) => upload(holdfast, headers, { name, content: bytes(count) }),
    replace: (id: string, count: number) =>
      holdfast.fetch(`/api/files/content?id=${id}`, { method: 'PUT', headers, body: bytes(count) }),
    /** Expects the totals to be those of a recount. */
    expectCounted: async () => expect(await holdfast.catalog.check.wrongTotals()).toEqual([]),
    /** Runs `refused`, and expects the storage of the account, all stored bytes and all staged ones as before. */
    expectNothingLeft: async (refused: () => Promise<void>) => {
      const before = [await used(), await keys(), countStaged(holdfast)]
      await refused()
      expect([await used(), await keys(), countStaged(holdfast)]).toEqual(before)
    },
  }
}
