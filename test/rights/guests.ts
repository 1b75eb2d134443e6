import type { Right } from '../../src/store/store.ts'
import { type Api, apiOf } from '../support/api.ts'
import type { Registered } from '../support/fixture.ts'
import { BASE_URL, type Inside } from '../support/holdfast.ts'
import { openRows } from '../support/rows.ts'

type Server = Registered<Inside>

/** Rights in folders, by their ids. */
type Grants = Record<string, readonly Right[]>

export const ALL: readonly Right[] = ['read', 'write', 'delete', 'share']
export const EDIT: readonly Right[] = ['read', 'write', 'delete']
export const ADD: readonly Right[] = ['read', 'write']
export const VIEW: readonly Right[] = ['read']

/** Account that reaches only some folders. */
export interface Guest {
  id: string
  api: Api
  /** Headers of its requests. */
  withKey: Record<string, string>
  /** Replaces its grants. */
  limit: (grants: Grants) => Promise<void>
}

/** Adds an editor that reaches only the folders of its grants. */
export async function addGuest(holdfast: Server, grants: Grants): Promise<Guest> {
  const { id, cookie } = await holdfast.addUser('editor')
  const { store, clock } = holdfast.server.deps
  using rows = openRows(holdfast)
  rows.run('UPDATE users SET limited = 1 WHERE id = ?', [id])
  const limit = (grants: Grants) =>
    store.transact(function* () {
      yield* store.grants.removeOfUser(id)
      for (const [folderId, rights] of Object.entries(grants))
        yield* store.grants.set({ folderId, userId: id, rights, createdAt: clock.now(), createdBy: null })
    })
  await limit(grants)
  const withKey = { Cookie: cookie, Origin: BASE_URL }
  return { id, withKey, limit, api: apiOf(holdfast, { withKey }) }
}

/** Creates an API key of the first account for one folder. */
export async function bindKey(holdfast: Pick<Server, 'bySession' | 'fetch'>, folderId: string): Promise<Api> {
  const { key } = await holdfast.bySession.data<{ key: { key: string } }>('POST', '/keys', {
    name: `for one folder ${Bun.randomUUIDv7()}`,
    scopes: ['files:read', 'files:write', 'files:delete'],
    folderId,
  })
  return apiOf(holdfast, { withKey: { 'API-Key': key.key } })
}

let folders = 0

/** Creates a folder with a new name. */
export function newFolder({ api }: Pick<Server, 'api'>, above = '') {
  folders += 1
  return api.createFolder([above, `folder ${folders}`].filter(Boolean).join('/'))
}
