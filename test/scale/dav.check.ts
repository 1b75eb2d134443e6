import { expect, test } from 'bun:test'
import { basic, davOf } from '../support/dav.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const LOCKINFO =
  '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>'

const clients = () => {
  const credentials = () => basic(pair.account.key)
  return [davOf(pair.one, credentials), davOf(pair.two, credentials)] as const
}

test('a lock taken at one server holds at the other, which knows its token', async () => {
  const [one, two] = clients()
  expect(await one.status('PUT', 'locked.txt', {}, 'x')).toBe(201)
  const token = (await one.send('LOCK', 'locked.txt', {}, LOCKINFO)).headers.get('lock-token') ?? ''

  expect(await two.status('PUT', 'locked.txt', {}, 'y')).toBe(423)
  expect(await two.status('PUT', 'locked.txt', { If: `(${token})` }, 'y')).toBe(204)
  expect(await two.status('LOCK', 'locked.txt', { If: `(${token})` })).toBe(200)
  expect(await two.status('UNLOCK', 'locked.txt', { 'Lock-Token': token })).toBe(204)
  expect(await one.status('PUT', 'locked.txt', {}, 'z')).toBe(204)
})

test('of two servers that lock a file at once, one gets it', async () => {
  await clients()[0].status('PUT', 'race.txt', {}, 'x')
  for (let round = 0; round < 8; round += 1) {
    const answers = await Promise.all(clients().map((dav) => dav.send('LOCK', 'race.txt', {}, LOCKINFO)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 423])
    const token = answers.find(({ status }) => status === 200)?.headers.get('lock-token') ?? ''
    expect(await clients()[1].status('UNLOCK', 'race.txt', { 'Lock-Token': token })).toBe(204)
  }
})
