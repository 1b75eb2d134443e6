import { beforeAll, expect, test } from 'bun:test'
import { signIn } from '../support/accounts.ts'
import { type Api, apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN } from '../support/holdfast.ts'
import { type Watched, watch } from '../support/watched.ts'
import { openPair } from './instances.ts'

const pair = openPair()

let here: Api

beforeAll(() => {
  here = apiOf(pair.one, pair.account)
})

/** Waits for a file in the lists that a stream names. */
const untilNamed = (stream: Watched, id: string) =>
  stream.until(({ folders }) => folders.some(({ files }) => files?.includes(id)))

test('a change on a server without streams is named by the stream of another', async () => {
  await using stream = await watch(pair.one, pair.account.withKey)
  const { id } = await apiOf(pair.two, pair.account).upload('quiet.txt', 'x', 'quiet')
  await untilNamed(stream, id)
})

test('a change on one server is named by the streams of both', async () => {
  await using near = await watch(pair.one, pair.account.withKey)
  await using far = await watch(pair.two, pair.account.withKey)
  const { id } = await here.upload('a.txt', 'a', 'shared')
  await untilNamed(far, id)
  await untilNamed(near, id)
  await here.data('DELETE', '/files', { id })
  await far.until(({ gone }) => gone.files.includes(id))
  await near.until(({ gone }) => gone.files.includes(id))
})

test('a stream names each of many changes by both servers once they are committed', async () => {
  const there = apiOf(pair.two, pair.account)
  await using stream = await watch(pair.two, pair.account.withKey)
  const uploads = Array.from({ length: 60 }, (_, n) => (n % 2 ? here : there).upload(`${n}.txt`, 'x', 'busy'))
  for (const { id } of await Promise.all(uploads)) await untilNamed(stream, id)
})

test('an event from another server is not known, so its client begins again', async () => {
  let last: string | undefined
  {
    await using stream = await watch(pair.one, pair.account.withKey)
    last = stream.events[0]?.id
  }
  await using stream = await watch(pair.two, { ...pair.account.withKey, 'Last-Event-ID': last ?? '' })

  expect(stream.events[0]?.type).toBe('reset')
})

test('a stream ends when its session ends on another server', async () => {
  const user = await signIn(pair.one, ADMIN.email)
  await using stream = await watch(pair.two, user.withSession)
  await pair.one.fetch('/api/auth/sign-out', { method: 'POST', headers: user.withSession, body: '{}' })

  await stream.ended
})

test('an announcement by another version means that anything may have changed, and fails no request', async () => {
  await using stream = await watch(pair.one, pair.account.withKey)
  await pair.two.server.deps.store.announce?.('{"node":"of another version"}')

  await stream.until(({ below }) => below.includes(''))
  const { id } = await here.upload('after.txt', 'x', 'announced')
  await here.data('PUT', '/files', { id, visibility: 'public' })
  expect((await pair.one.fetch('/api/hosting/announced/after.txt')).status).toBe(200)
})

test('a server that stops announces its last changes', async () => {
  await using stream = await watch(pair.one, pair.account.withKey)
  const third = await pair.nodes.start()
  const isAnnounced = async (id: string) =>
    (await pair.nodes.query(`SELECT id FROM events WHERE target LIKE '%${id}%'`)).length > 0
  const first = await apiOf(third, pair.account).upload('first.txt', 'x', 'last')
  await eventually(() => isAnnounced(first.id))
  // The next announcement of a server that runs is a second away.
  const last = await apiOf(third, pair.account).upload('last.txt', 'x', 'last')
  await third.stop()
  expect(await isAnnounced(last.id)).toBe(true)
  await untilNamed(stream, last.id)
})
