import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nameProblem } from '../../src/platform/names.ts'
import { ask } from '../hosting/wire.ts'
import { withHoldfast } from '../support/fixture.ts'
import { forAll } from '../support/for-all.ts'
import type { FileView } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const PIECES = [...'. .. / \\ %2e %2f % a ~ :'.split(' '), ' ', '\0', '\n', '\ud800', '🎉', '\u202e']

/** Arbitrary text with many characters of paths, including invalid Unicode. */
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
)

/** Characters that a request line may contain, and forbidden ones that clients send. */
const target = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
      fc.constantFrom('%2f', '%00', '%ff', '../', '//', '%2e'),
    ),
    maxLength: 30,
  })
  .map((path) => path.replace(/[\0-\x20\x7f-\uffff]/g, ''))

/** Names of one folder each, so that no two tries meet. */
let tries = 0

describe('any text', () => {
  test('as a hosting key is a file that exists, or a refusal, and never a fault', async () => {
    await forAll(target, { numRuns: 300 }, async (path) => {
      const { status } = await ask(holdfast.port, `/api/hosting/${path}`)

      expect([200, 400, 401, 404]).toContain(status)
    })
  })

  test('as a key, name or id in a query is refused or leads to nothing', async () => {
    await forAll(
      fc.tuple(fc.constantFrom('key', 'id', 'name', 'path'), text),
      { numRuns: 100 },
      async ([parameter, value]) => {
        const path = `?${new URLSearchParams({ [parameter]: value })}`
        for (const route of ['/files', '/folders', '/folders/download']) {
          const response = await api.send('GET', `${route}${path}`)
          await response.arrayBuffer()
          expect([200, 400, 404]).toContain(response.status)
        }
      },
    )
  })

  test('is the name of a folder and of a file that can be served, or is refused with 400', async () => {
    await forAll(text, { numRuns: 200 }, async (name) => {
      const parent = `try ${tries++}`
      const { id } = await api.upload('file', name, parent)

      const response = await api.send('PUT', '/files', { id, name })
      const { data } = (await response.json()) as { data: { file: FileView } | null }

      expect(response.status).toBe(nameProblem(name) === undefined ? 200 : 400)
      expect(data?.file.name ?? name).toBe(name)
      const served = await holdfast.fetch(`/${data?.file.url ?? `api/hosting/${parent}/file`}`)
      expect(await served.text()).toBe(Buffer.from(name).toString())
      expect(await storedIn(holdfast).keys()).toContain(`${parent}/${data?.file.name ?? 'file'}`)
    })
  })

  test('as a folder makes that folder below the root, or is refused with 400 or 409', async () => {
    await forAll(text, { numRuns: 200 }, async (folder) => {
      const segments = folder.split('/').filter((segment) => segment !== '')
      const isValid = segments.every((segment) => nameProblem(segment) === undefined)

      const response = await api.send('POST', '/folders', { folder: `try ${tries++}/${folder}` })
      const { data } = (await response.json()) as { data: { folder: { key: string } } | null }

      expect(response.status).toBe(isValid ? 200 : 400)
      if (data) expect(await storedIn(holdfast).keys()).toContain(data.folder.key)
      if (data) expect(data.folder.key).toBe([`try ${tries - 1}`, ...segments].join('/'))
    })
  })
})
