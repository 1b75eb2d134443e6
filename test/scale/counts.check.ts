import { expect, test } from 'bun:test'
import type { Inside } from '../support/holdfast.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const FILES = 600
const CONTENT = 'x'.repeat(10)

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
  const response = await node.fetch('/api/stats', { headers: { Cookie: pair.account.cookie } })
  const { data } = (await response.json()) as { data: { hosting: { days: object[] } } }
  return data.hosting.days.at(-1)
}

test('counts of very many files that two servers save at the same time are all there, none twice', async () => {
  const sent = await pair.one.fetch('/api/folders/import?folder=counted', {
    method: 'POST',
    body: buildArchive(names.map((path) => ({ path, content: CONTENT }))),
    headers: pair.account.withKey,
  })
  expect(sent.status).toBe(200)

  for (let round = 1; round <= 3; round += 1) {
    await Promise.all([readAll(pair.one), readAll(pair.two)])
    await readAll(pair.two)
    await Promise.all([pair.one.saveCounts(), pair.two.saveCounts()])

    for (const node of [pair.one, pair.two])
      expect(await statsOf(node)).toMatchObject({ requests: 3 * round * FILES, bytes: 30 * round * FILES })
  }
  const { traffic, files } = pair.one.server.deps.store
  const counted = (await traffic.top(FILES + 1)).map(({ requests, bytes }) => [requests, bytes])
  expect(counted).toEqual(Array.from({ length: FILES }, () => [9, 90]))
  expect((await files.after('', FILES + 1)).length).toBe(FILES)
})
