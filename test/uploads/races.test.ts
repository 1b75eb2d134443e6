import { describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { tusOf } from './tus.ts'

const holdfast = withInside()
const { api } = holdfast
const tus = tusOf(holdfast)

const ROUNDS = 5
const CONTENT = 'some content, '.repeat(2000)

const beginOne = (name: string) => tus.begin({ length: CONTENT.length, fields: { name } })

/** Sends the rest of an upload from `offset` on. Returns the status. */
async function sendRest(path: string, offset: number): Promise<number> {
  const body = CONTENT.slice(offset)
  return (await tus.sendPiece({ path, offset, body })).status
}

/** Continues an upload from its offset, as clients do, until one of them has finished it. */
async function goOn(path: string): Promise<void> {
  for (let offset = 0; offset < CONTENT.length; ) {
    offset = await tus.offsetOf(path)
    await sendRest(path, offset)
  }
}

const isWhole = async (name: string) => (await api.hosted(name)) === CONTENT

describe.each([2, 3, 4, 8])('%d concurrent requests that continue one upload', (count) => {
  const everyone = <Answer>(work: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, work))

  test('make one file, all of whose bytes are there', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `whole-${count}-${round}`
      const path = await beginOne(name)

      const statuses = await everyone(() => sendRest(path, 0))

      expect(statuses.toSorted()).toEqual([204, ...Array(count - 1).fill(409)])
      expect(await isWhole(name)).toBe(true)
    }
  })

  test('make one file of clients that try again', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `retried-${count}-${round}`
      const path = await beginOne(name)

      await everyone(() => goOn(path))

      expect(await isWhole(name)).toBe(true)
    }
  })

  test('publish one file at its last byte, and leave nothing in staging', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `last-${count}-${round}`
      const path = await beginOne(name)
      await tus.sendPiece({ path, offset: 0, body: CONTENT.slice(0, -1) })

      const statuses = await everyone(() => sendRest(path, CONTENT.length - 1))

      expect(statuses.toSorted()).toEqual([204, ...Array(count - 1).fill(409)])
      expect(await isWhole(name)).toBe(true)
    }
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })
})
