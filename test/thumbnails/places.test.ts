import { expect, test } from 'bun:test'
import { Places } from '../../src/modules/thumbnails/places.ts'
import { rounds } from '../support/eventually.ts'

/** Places with work that ends when a test says so, and the order in which it began. */
function open() {
  const places = new Places()
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, share?: string) =>
    places.use(share, () => {
      began.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await rounds()
  }
  const interrupted: string[] = []
  const spare = (name: string) =>
    places.runSpare((signal) => {
      signal.addEventListener('abort', () => {
        interrupted.push(name)
        ends.get(name)?.()
      })
      began.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  return { ask, began, end, spare, interrupted }
}

test('work that no request waits for runs alone, and is aborted by the first request', async () => {
  const { ask, began, end, spare, interrupted } = open()
  const first = spare('s1')
  await end('s1')
  expect(await first).toBe(true)

  const second = spare('s2')
  const asked = [ask('m1'), ask('m2'), ask('m3')]
  await rounds()
  expect([interrupted, await second]).toEqual([['s2'], false])
  expect(began).toEqual(['s1', 's2', 'm1', 'm2'])
  expect(await spare('s3')).toBe(false)

  for (const name of ['m1', 'm2', 'm3']) await end(name)
  await Promise.all(asked)
  const third = spare('s4')
  await end('s4')
  expect([await third, interrupted]).toEqual([true, ['s2']])
})

test('visitors use one place, so that members wait for members alone', async () => {
  const { ask, began, end } = open()
  const all = [ask('v1', 'a'), ask('v2', 'a'), ask('m1'), ask('m2'), ask('m3')]
  await rounds()
  expect(began).toEqual(['v1', 'm1'])

  await end('m1')
  expect(began).toEqual(['v1', 'm1', 'm2'])
  await end('v1')
  // Members go first.
  expect(began).toEqual(['v1', 'm1', 'm2', 'm3'])
  await end('m2')
  await end('m3')
  expect(began.at(-1)).toBe('v2')
  await end('v2')
  await Promise.all(all)
})

test('shares take turns, however many wait of one', async () => {
  const { ask, began, end } = open()
  const all = [...['a1', 'a2', 'a3'].map((name) => ask(name, 'a')), ask('b1', 'b'), ask('c1', 'c')]
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) {
    await rounds()
    await end(name)
  }
  await Promise.all(all)
  expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
})

test('a share may have twenty that wait, and all shares two hundred', async () => {
  const { ask } = open()
  const refused = async (share: string) =>
    Promise.race([ask('x', share).then(() => 'made', String), rounds().then(() => 'waits')])
  const fill = (share: string) => {
    for (let n = 0; n < 20; n += 1) ask('x', share).catch(() => {})
  }
  void ask('first', 'first')
  await rounds()
  fill('a')
  expect(await refused('a')).toContain('Too many thumbnails')
  expect(await refused('b')).toBe('waits')
  for (const share of 'cdefghijk') fill(share)
  expect(await refused('z')).toContain('Too many thumbnails')
})
