import { expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import type { Api } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { trashOf } from '../support/trash.ts'

/** Makes the database refuse every new entry of a history. */
function refuseEntries(dataPath: string): void {
  using database = openDatabase({ dataPath })
  database.refuse('INSERT ON activities')
}

const CHANGES: Record<string, { before?: (api: Api, id: string) => Promise<unknown>; change: Change }> = {
  'a delete': { change: (api, id) => api.data('DELETE', '/files', { id }) },
  'a move to the trash': { change: (api, id) => trashOf(api).put({ fileIds: [id] }) },
  'a return from the trash': {
    before: (api, id) => trashOf(api).put({ fileIds: [id] }),
    change: (api, id) => trashOf(api).restore(id),
  },
  'an emptied trash': {
    before: (api, id) => trashOf(api).put({ fileIds: [id] }),
    change: (api) => trashOf(api).empty(),
  },
}

type Change = (api: Api, id: string) => Promise<unknown>

for (const [name, { before, change }] of Object.entries(CHANGES))
  test(`${name} stands although its entry in the history cannot be written`, async () => {
    await using holdfast = await startInsideWithAccount()
    const { api } = holdfast
    const { id } = await api.upload('a.txt', 'content')
    await before?.(api, id)
    refuseEntries(holdfast.dataPath)

    await change(api, id)

    expect(holdfast.logged.map(({ message }) => message)).toEqual([
      'An entry of the history could not be written',
    ])
  })
