import { expect } from 'bun:test'
import type { AccountStorage } from '../../src/client/types.ts'
import type { Registered } from '../support/fixture.ts'
import { type Inside, sendUpload } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { countStaged } from '../uploads/tus.ts'

export const bytes = (count: number) => 'x'.repeat(count)

/** Creates an editor whose storage an admin limits. */
export async function createLimited(holdfast: Registered<Inside>) {
  const { admin } = holdfast
  const editor = await holdfast.addUser('editor')
  const headers = editor.withSession
  const used = async () => (await editor.api.data<AccountStorage>('GET', '/me/usage')).usedBytes
  const keys = () => storedIn(holdfast).keys()
  return {
    admin,
    editor,
    used,
    setQuota: (quota: number | null) =>
      admin.api.data<AccountStorage>('PUT', '/users/quota', { id: editor.id, quota }),
    send: (name: string, count: number) => sendUpload(holdfast, headers, { files: { [name]: bytes(count) } }),
    store: (name: string, count: number) => editor.api.upload(name, bytes(count)),
    replace: (id: string, count: number) =>
      editor.api.sendBody('PUT', `/files/content?id=${id}`, bytes(count)),
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
