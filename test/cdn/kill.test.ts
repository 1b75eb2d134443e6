import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { spawnWithAccount } from '../support/fixture.ts'
import { spawnHoldfast } from '../support/process.ts'
import { StandIn } from './caches.ts'

test('a kill between a change and its purge, or while the cache takes it, loses no purge', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const hanging = Promise.withResolvers<Response>()
  await using cache = new StandIn()
  const environment = { CDN_KIND: 'varnish', CDN_URL: cache.url }
  cache.respond = () => hanging.promise
  const keys: string[] = []
  {
    await using first = await spawnWithAccount({ dataPath, environment })
    const change = async (name: string) => {
      const file = await first.api.upload(name, 'x', '', 'public')
      const { headers } = await first.fetch(`/api/hosting/${name}`)
      keys.push(headers.get('xkey')?.split(',').at(-1) ?? '')
      await first.api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    }
    await change('under-way.txt')
    await eventually(() => cache.purged.length === 1)
    await change('committed.txt')
    first.child.kill('SIGKILL')
    await first.child.exited
  }
  cache.respond = () => new Response()
  cache.purged.length = 0

  await using _ = await spawnHoldfast({ dataPath, environment })

  const purged = () => cache.purged.flatMap(({ headers }) => headers.get('xkey')?.split(' ') ?? [])
  await eventually(() => keys.every((key) => purged().includes(key)))
  expect(keys.every((key) => key !== '')).toBe(true)
  hanging.resolve(new Response())
  rmSync(dataPath, { recursive: true, force: true })
})
