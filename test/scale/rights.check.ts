import { beforeAll, expect, spyOn, test } from 'bun:test'
import { Connection } from '../../src/catalog/postgres/connection.ts'
import { bindKey } from '../rights/guests.ts'
import { addGuest } from '../rights/limited.ts'
import { type Ask, ROWS } from '../rights/rows.ts'
import { fixed, NOWHERE, type Place, placeIn } from '../rights/world.ts'
import { type Api, apiOf } from '../support/api.ts'
import { BASE_URL, type Inside } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { openPair } from './instances.ts'

const pair = openPair({ SITES_DOMAIN: 'sites.test' })

const INSIDE = 'clients/acme/bills'
const RIGHTS = ['read', 'write', 'delete', 'share'] as const

const callers: Record<string, Api> = {}
let outside: Place

beforeAll(async () => {
  const { one, account } = pair
  const [api, bySession] = [account.withKey, { Cookie: account.cookie, Origin: BASE_URL }].map((withKey) =>
    apiOf(one, { withKey }),
  ) as [Api, Api]
  const served = Object.assign(one, { api, bySession, trash: trashOf(api) })
  const { id } = await api.createFolder(INSIDE)
  callers['a limited account'] = (await addGuest(served, { [INSIDE]: RIGHTS })).api
  callers['a bound key'] = await bindKey(served, id)
  outside = fixed(placeIn(served, 'other/deep/down', { prefix: 'outside', owner: bySession }))
})

/** Tables of what the rights are about. Others are read by jobs at any time. */
const TREE = /\b(files|folders|sites|trash\w*|versions|share\w*|resumables)\b/

/** Sends a request, and returns its status and the texts of the queries that the server sends for it. */
async function queriesFor(node: Inside, by: Api, operation: string, ask: Ask): Promise<unknown[]> {
  const [method = '', template = ''] = operation.split(' ')
  const { path = '', query, body, headers } = ask
  const isRaw = body instanceof FormData || body instanceof Blob || typeof body === 'string'
  const search = query ? `?${new URLSearchParams(query)}` : ''
  using sent = spyOn(Connection.prototype, 'query')
  const response = await node.fetch(`${template.replace(/\{\w+\}/, path)}${search}`, {
    method,
    headers: { ...by.headers, ...headers },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  const texts = sent.mock.calls.map(([text]) => text.replace(/\s+/g, ' '))
  return [response.status, ...texts.filter((text) => TREE.test(text))]
}

const named = Object.entries(ROWS).flatMap(([operation, { asks }]) => (asks ? [operation] : []))

// What a response takes time for tells what is there, and queries take nearly all of it.
test.each(named)(
  '%s sends the queries for what is outside that it sends for what is missing',
  async (operation) => {
    const asks = ROWS[operation]?.asks
    for (const by of Object.values(callers)) {
      const [there, missing] = [(await asks?.(outside, by)) ?? [], (await asks?.(NOWHERE, by)) ?? []]
      for (const [at, ask] of there.entries())
        expect(await queriesFor(pair.one, by, operation, ask)).toEqual(
          await queriesFor(pair.one, by, operation, missing[at] ?? {}),
        )
    }
  },
)
