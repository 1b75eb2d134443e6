import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

/** Makes every delete of a file's row fail until it is disposed of. */
function failRemovals(holdfast: Inside): Disposable {
  using database = openDatabase(holdfast)
  database.run(`CREATE TRIGGER refuse BEFORE DELETE ON files BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  return {
    [Symbol.dispose]: () => {
      using database = openDatabase(holdfast)
      database.run('DROP TRIGGER refuse')
    },
  }
}

describe('a deleted folder that cannot be purged', () => {
  test('frees its name at once, does not block the folders above it, and is purged later', async () => {
    await using holdfast = await startInsideWithAccount()
    const { api } = holdfast
    const { store } = holdfast.server.deps
    const outer = await api.createFolder('outer')
    const inner = await api.createFolder('outer/inner')
    await api.upload('deep', 'x', 'outer/inner')
    await api.upload('high', 'x', 'outer')
    {
      using _failing = failRemovals(holdfast)
      await api.data('DELETE', '/folders', { id: inner.id })
      await api.data('POST', '/folders/move', { id: outer.id, folder: 'elsewhere' })
      await api.data('DELETE', '/folders', { id: outer.id })
      expect((await api.createFolder('outer')).id).not.toBe(outer.id)
      await store.unfinished.retry()
      expect(filesUnder(holdfast, 'uploads')).toEqual(['elsewhere', 'outer'])
      expect(await store.intents.all()).toHaveLength(2)
    }

    await store.unfinished.retry()

    expect(filesUnder(holdfast, 'uploads')).toEqual(['elsewhere', 'outer'])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    // Each once, however often it was tried.
    expect(holdfast.logged.filter(({ error }) => error)).toHaveLength(2)
  })
})
