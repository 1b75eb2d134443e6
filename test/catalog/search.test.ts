import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedCatalog, openCatalog } from '../../src/catalog/sqlite/open.ts'
import type { NameSearch } from '../../src/catalog/tree/search.ts'
import { fold, rankOf } from '../../src/platform/fold.ts'
import { KINDS, type Kind, kindOf } from '../../src/platform/kinds.ts'
import { fileRow, folderRow, id, NOW } from '../support/engines.ts'
import { KIND_SAMPLES } from '../support/kinds.ts'

const ALPHABETS = [
  'abcAB12 ._-',
  'éàßøÆłİıſ',
  'абвГДйё',
  'αβγΣςΩ',
  '漢字かが',
  'עבא',
  '😀👍🏽',
  '한글',
  'ﬁＡ½',
]
const never = new AbortController().signal

let catalog: EmbeddedCatalog
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-search-'))
  catalog = openCatalog({ path: join(folder, 'holdfast.sqlite'), onUnknownOutcome: () => {} })
  await catalog.transact(() => catalog.folders.insert([folderRow(1, null, ''), folderRow(2, 1, 'names')]))
})
afterAll(() => {
  catalog.close()
  rmSync(folder, { recursive: true })
})

/** Returns a function that returns whole numbers below a bound, the same for each seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const letters = (random: (bound: number) => number, count: number): string =>
  Array.from({ length: count }, () => {
    const points = [...(ALPHABETS[random(ALPHABETS.length)] ?? '')]
    return points[random(points.length)]
  }).join('')

/** Returns the ids of the files that a scan of all names finds, the best first. */
async function scan(text: string): Promise<string[]> {
  const rows = await catalog.files.after('', 100_000)
  return rows
    .flatMap((row) => {
      const rank = rankOf(fold(row.name), text)
      return rank === undefined ? [] : [{ ...row, rank: text === '' ? 0 : rank }]
    })
    .sort((one, other) => one.rank - other.rank || other.createdAt - one.createdAt)
    .map(({ id }) => id)
}

test('a search finds what a scan of all names finds, while files change', async () => {
  const random = numbers(7)
  let created = 100
  const insert = (count: number) =>
    catalog.transact(() =>
      catalog.files.insert(
        Array.from({ length: count }, () => {
          created += 1
          const name = `${letters(random, 1 + random(12))} ${created}`
          return fileRow(created, 2, name, { createdAt: NOW + ((created * 7919) % 1_000_003) })
        }),
      ),
    )
  await insert(6000)
  for (let round = 0; round < 60; round += 1) {
    const text = fold(letters(random, 1 + random(3))).trim()
    const search: NameSearch = { text, limit: 200 }
    const { found, next } = await catalog.search(search, never)
    const expected = await scan(text)
    expect([text, found.map(({ row }) => row.id)]).toEqual([text, expected.slice(0, 200)])
    if (next) {
      const rest = await catalog.search({ ...search, from: next }, never)
      expect(rest.found.map(({ row }) => row.id)).toEqual(expected.slice(200, 400))
    }
    await insert(20)
    const some = expected.slice(0, 6)
    for (const [index, one] of some.entries())
      await catalog.transact(() =>
        index % 2 === 0
          ? catalog.files.remove(one)
          : catalog.files.update(one, { name: `${letters(random, 5)} again ${round} ${index}` }),
      )
  }
})

test('an ending is at the start of a word wherever it is', async () => {
  const rows = [
    fileRow(20_001, 2, 'older -.ending', { createdAt: NOW + 1 }),
    fileRow(20_002, 2, 'newer.ending', { createdAt: NOW + 2 }),
  ]
  await catalog.transact(() => catalog.files.insert(rows))

  const { found } = await catalog.search({ text: '.ending', limit: 10 }, never)

  expect(found.map(({ row }) => row.name)).toEqual(['newer.ending', 'older -.ending'])
})

test('names are read again when most of their rows are gone', async () => {
  const rows = await catalog.files.after('', 100_000)
  await catalog.search({ text: '', limit: 1 }, never)
  await catalog.transact(function* () {
    for (const row of rows.slice(0, -3)) yield* catalog.files.remove(row.id)
  })

  const { found } = await catalog.search({ text: '', limit: 10, kind: 'file' }, never)

  expect(found.map(({ row }) => row.id).sort()).toEqual(rows.slice(-3).map(({ id }) => id))
})

test('a folder outside the tree is not found, and is found again in it', async () => {
  await catalog.transact(() =>
    catalog.folders.insert([folderRow(10, 1, 'attached'), folderRow(11, 10, 'deep')]),
  )
  await catalog.transact(() => catalog.files.insert([fileRow(90_000, 11, 'hidden file')]))
  const find = async (text: string) =>
    (await catalog.search({ text, limit: 5 }, never)).found.map(({ key }) => key)
  expect(await find('hidden')).toEqual(['attached/deep/hidden file'])
  await catalog.transact(() => catalog.folders.detach(id(10)))
  expect([await find('hidden'), await find('deep'), await find('/')]).toEqual([[], [], []])
  await catalog.transact(() => catalog.folders.update(id(10), { parentId: id(1), name: 'returned' }))

  expect(await find('hidden')).toEqual(['returned/deep/hidden file'])
  expect(await find('deep')).toEqual(['returned/deep'])
})

test('a search finds files by the kind that their names have, and after a rename by the new one', async () => {
  const files = KIND_SAMPLES.map(([name, mimeType], n) =>
    fileRow(95_000 + n, 2, `kind-${n} ${name}`, { createdAt: NOW + n, mimeType }),
  )
  await catalog.transact(() => catalog.files.insert(files))
  const find = async (kind: Kind) =>
    (await catalog.search({ text: 'kind-', limit: 100, kind }, never)).found.map(({ row }) => row.name).sort()
  for (const kind of KINDS)
    expect([kind, await find(kind)]).toEqual([
      kind,
      files
        .filter((file) => kindOf(file) === kind)
        .map(({ name }) => name)
        .sort(),
    ])

  await catalog.transact(() => catalog.files.update(id(95_000), { name: 'kind-0 renamed.bin' }))

  expect(await find('other')).toContain('kind-0 renamed.bin')
})
