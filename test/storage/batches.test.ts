import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type EmbeddedCatalog, openCatalog } from '../../src/catalog/sqlite/open.ts'
import { commitInBatches } from '../../src/store/batches.ts'

let catalog: EmbeddedCatalog
beforeAll(() => {
  catalog = openCatalog({ path: ':memory:', onUnknownOutcome: () => {} })
})
afterAll(() => catalog.close())

/** Yields changes that record a fact each, then ends with an error. */
async function* facts(count: number) {
  for (let n = 0; n < count; n += 1)
    yield { change: `${n}`, make: () => catalog.instance.set('rebuilding', `${n}`) }
  throw new Error('the plan ended early')
}

test.each([
  [1, 0, undefined],
  [300, 250, '249'],
])(
  'of %d changes before an error, the %d that were committed are reported',
  async (count, committed, fact) => {
    await catalog.transact(() => catalog.instance.set('rebuilding', ''))
    const reported: string[] = []

    const result = commitInBatches(catalog, facts(count), (change) => reported.push(change))

    expect(result).rejects.toThrow('the plan ended early')
    await result.catch(() => {})
    expect(reported).toHaveLength(committed)
    expect(await catalog.instance.get('rebuilding')).toBe(fact ?? '')
  },
)

test('a change without an effect is reported in its order', async () => {
  const reported: string[] = []
  async function* changes() {
    yield { change: 'made', make: () => catalog.instance.set('rebuilding', 'made') }
    yield { change: 'left' }
  }

  await commitInBatches(catalog, changes(), (change) => reported.push(change))

  expect(reported).toEqual(['made', 'left'])
})
