import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Account, type Inside, register } from '../support/holdfast.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

const FILES = 600
const CONTENT = 'x'.repeat(10)

let postgres: TestPostgres
let nodes: Nodes
let one: Inside
let two: Inside
let account: Account

beforeAll(async () => {
  postgres = await startPostgres()
  nodes = await prepareNodes(postgres)
  one = await nodes.start()
  two = await nodes.start()
  account = await register(one)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  postgres[Symbol.dispose]()
})

const names = Array.from({ length: FILES }, (_, n) => `${n}.txt`)

/** Requests all files of a server, some at a time. */
async function readAll(node: Inside): Promise<void> {
  for (let n = 0; n < FILES; n += 20) {
    const responses = await Promise.all(
      names.slice(n, n + 20).map((name) => node.fetch(`/api/hosting/counted/${name}`)),
    )
    for (const response of responses) expect(await response.text()).toBe(CONTENT)
  }
}

async function statsOf(node: Inside) {
  const response = await node.fetch('/api/stats', { headers: { Cookie: account.cookie } })
  const { data } = (await response.json()) as { data: { hosting: { days: object[] } } }
  return data.hosting.days.at(-1)
}

test('counts of very many files that two servers save at the same time are all there, none twice', async () => {
  const sent = await one.fetch('/api/folders/import?folder=counted', {
    method: 'POST',
    body: buildArchive(names.map((path) => ({ path, content: CONTENT }))),
    headers: account.withKey,
  })
  expect(sent.status).toBe(200)

  for (let round = 1; round <= 3; round += 1) {
    await Promise.all([readAll(one), readAll(two)])
    await readAll(two)
    await Promise.all([one.saveCounts(), two.saveCounts()])

    for (const node of [one, two])
      expect(await statsOf(node)).toMatchObject({ requests: 3 * round * FILES, bytes: 30 * round * FILES })
  }
  const { traffic, files } = one.server.deps.store
  const counted = (await traffic.top(FILES + 1)).map(({ requests, bytes }) => [requests, bytes])
  expect(counted).toEqual(Array.from({ length: FILES }, () => [9, 90]))
  expect((await files.after('', FILES + 1)).length).toBe(FILES)
})
