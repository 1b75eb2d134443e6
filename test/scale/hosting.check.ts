import { beforeAll, describe, expect, test } from 'bun:test'
import { type Api, apiOf } from '../support/api.ts'
import { openPair } from './instances.ts'

const pair = openPair()

let here: Api
let there: Api

beforeAll(() => {
  here = apiOf(pair.one, pair.account)
  there = apiOf(pair.two, pair.account)
})

/** Requests a file of the other server until its cache has it. */
async function warm(key: string, text: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) expect(await there.hosted(key)).toBe(text)
  expect(pair.two.server.modules.hosting.responseCache.bytes).toBeGreaterThan(0)
}

describe('hosting on another server', () => {
  const changes: Record<string, (id: string) => Promise<unknown>> = {
    'was deleted': (id) => here.data('DELETE', '/files', { id }),
    'was renamed': (id) => here.data('PUT', '/files', { id, name: `${id}.md` }),
    'became private': (id) => here.data('PUT', '/files', { id, visibility: 'private' }),
  }

  test.each(Object.keys(changes))('never responds with a file that %s', async (change) => {
    for (let n = 0; n < 20; n += 1) {
      const key = `${change} ${n}.txt`
      const { id } = await here.upload(key, `text ${n}`)
      await warm(key, `text ${n}`)
      await changes[change]?.(id)
      expect(await there.hosted(key)).toBe(404)
    }
  })

  test('responds with the file that took the place of another', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id } = await here.upload('same.txt', `text ${n}`)
      await warm('same.txt', `text ${n}`)
      await here.data('DELETE', '/files', { id })
    }
    expect(await there.hosted('same.txt')).toBe(404)
  })

  test('responds under the new key of a renamed folder, and no longer under the old one', async () => {
    const folder = await here.createFolder('before')
    await here.upload('a.txt', 'a', 'before')
    await warm('before/a.txt', 'a')
    await here.data('PUT', '/folders', { id: folder.id, name: 'after' })

    expect(await there.hosted('before/a.txt')).toBe(404)
    expect(await there.hosted('after/a.txt')).toBe('a')
  })

  test('responds to a burst at the time of a delete with the file before it, and 404 after it', async () => {
    const { id } = await here.upload('burst.txt', 'x')
    await warm('burst.txt', 'x')
    const before = Array.from({ length: 50 }, () => there.hosted('burst.txt'))
    await here.data('DELETE', '/files', { id })
    const after = await Promise.all(Array.from({ length: 50 }, () => there.hosted('burst.txt')))

    expect(new Set(after)).toEqual(new Set([404]))
    for (const response of await Promise.all(before)) expect(['x', 404]).toContain(response)
  })

  test('may be as old as HOSTING_STALENESS_MS allows, except for changes of its own', async () => {
    const lax = apiOf(
      await pair.nodes.start({ environment: { HOSTING_STALENESS_MS: '60000' } }),
      pair.account,
    )
    const stale: (string | number)[] = []
    for (let round = 0; round < 5; round += 1) {
      const { id } = await here.upload('stale.txt', 'x')
      for (let n = 0; n < 3; n += 1) await lax.hosted('stale.txt')
      await here.data('DELETE', '/files', { id })
      stale.push(await lax.hosted('stale.txt'))
    }
    // A commit of its own, such as that of the counts, lets it ask again.
    expect(stale).toContain('x')

    const own = await lax.upload('own.txt', 'y')
    expect(await lax.hosted('own.txt')).toBe('y')
    await lax.data('DELETE', '/files', { id: own.id })
    expect(await lax.hosted('own.txt')).toBe(404)
    expect(await lax.hosted('stale.txt')).toBe(404)
  })
})
