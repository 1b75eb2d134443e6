import { describe, expect, test } from 'bun:test'
import { ask, wholeAnswer } from '../hosting/wire.ts'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { fieldPart, filePart } from '../support/multipart.ts'
import { storedIn } from '../support/stored.ts'
import { inMemory, parseArchive } from '../zip/parse-archive.ts'

const holdfast = withHoldfast()
const { api } = holdfast

/** Ways of writing one step up, and of writing a slash, as lists of attackers have them. */
const UPS = [
  ...'.. ... .... . %2e%2e %2E%2e .%2e %252e%252e %c0%ae%c0%ae %uff0e%uff0e ..; ..%00 ..%0a'.split(' '),
  ...['.. ', '%ef%bc%8e%ef%bc%8e', '..%09', '0x2e0x2e'],
]
const SLASHES = '/ \\ %2f %5c %252f %255c %c0%af %c1%9c %e0%80%af // /./ %u2215 %ef%bc%8f 0x2f'.split(' ')
const TARGETS =
  'etc/passwd outside/f secret db/holdfast.sqlite proc/self/environ windows\\win.ini .holdfast-volume'.split(
    ' ',
  )
const DEPTHS = [1, 2, 8]

/** Combinations of every way up with every slash, at each depth and for each target: some seven hundred. */
const WAYS_OUT = UPS.flatMap((up) =>
  SLASHES.flatMap((slash) => DEPTHS.map((depth) => [up, slash, depth] as const)),
).map(([up, slash, depth], n) => `${`${up}${slash}`.repeat(depth)}${TARGETS[n % TARGETS.length]}`)

// Row 7, and with it rows 1 to 4.
describe('every way out of a list of hundreds', () => {
  // Each response reports a missing file, or the credentials that the resolved path requires.
  test('is 401 or 404 as a hosting key, and never bytes', async () => {
    for (const way of WAYS_OUT) {
      const { status, body } = await ask(holdfast.port, `/api/hosting/${way.replaceAll(' ', '%20')}`)

      expect({ way, status, isTold: [400, 401, 404].includes(status) }).toMatchObject({ isTold: true })
      expect(body.toString()).toMatch(/^\{"data":null,"error":\{"message":"[^"]+"\}\}$/)
    }
  })

  test('is 404 as a key or path in a query', async () => {
    for (const way of WAYS_OUT) {
      const statuses = await Promise.all(
        ['/files?key=', '/folders?key=', '/folders?path=', '/folders/download?key='].map((path) =>
          api.status('GET', path + encodeURIComponent(way)),
        ),
      )

      expect({ way, statuses }).toEqual({ way, statuses: [404, 404, 404, 404] })
    }
  })

  test('is refused as a folder and as a name, or is nothing but an odd name in its place', async () => {
    const before = await storedIn(holdfast).keys()
    const { id } = await api.upload('odd', 'x', 'odd renamed')
    for (const way of WAYS_OUT.filter((_, n) => n % 3 === 0)) {
      const made = await api.status('POST', '/folders', { folder: `odd/${way}` })
      const renamed = await api.status('PUT', '/files', { id, name: way })

      // Some ways differ by slashes only, which are dropped.
      expect([200, 400, 409]).toContain(made)
      expect([200, 400]).toContain(renamed)
      if (/(^|[/\\])\.\.?([/\\]|$)/.test(way)) expect([made, renamed]).toEqual([400, 400])
    }
    const added = (await storedIn(holdfast).keys()).filter((path) => !before.includes(path))
    expect(added.filter((path) => !/^odd( renamed)?(\/|$)/.test(path))).toEqual([])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })
})

// Row 2.
test.each(['x/', '..\\..\\', '/', '\\', 'a/..', 'C:\\..'])(
  'the file name %j, whose last component is empty, is refused',
  async (filename) => {
    const before = await storedIn(holdfast).keys()

    expect((await api.sendParts(filePart(filename))).status).toBe(400)
    expect(await storedIn(holdfast).keys()).toEqual(before)
  },
)

// Rows 8 and 15.
const QUERIES =
  'key=% key=%zz key=%ff key=%c0%ae%c0%ae%c0%af key=%ed%a0%80 id=%00 key=a%00b id=%ff%fe key=%u0066'
test.each(QUERIES.split(' '))('the query %s leads to nothing', async (query) => {
  expect(await api.status('GET', `/files?${query}`)).toBe(404)
  expect(await api.status('GET', `/folders?${query}`)).toBe(404)
})

// Row 15.
test('an id with NUL is the id of nothing', async () => {
  const { id } = await api.upload('nul', 'x')
  for (const odd of [`${id}\0`, `\0${id}`, '\0']) {
    expect(await api.status('DELETE', '/files', { id: odd })).toBe(404)
    expect(await api.status('POST', '/files/sign', { id: odd })).toBe(404)
    expect(await api.status('PUT', '/folders', { id: odd, name: 'x' })).toBe(404)
  }
  expect(await api.hosted('nul')).toBe('x')
})

// Row 14.
test('no file or folder gets the name of the volume’s marker', async () => {
  const marker = '.holdfast-volume'
  const file = await api.upload('marked', 'mine')
  const folder = await api.createFolder('a folder with a long name')

  const statuses = [
    (await api.sendParts(filePart(marker, 'forged'))).status,
    (await api.sendParts(filePart('f'), fieldPart('folder', marker))).status,
    await api.status('POST', '/folders', { folder: marker }),
    await api.status('PUT', '/files', { id: file.id, name: marker }),
    await api.status('PUT', '/folders', { id: folder.id, name: marker }),
  ]

  expect(statuses).toEqual(statuses.map(() => 409))
  expect(await api.hosted(marker)).toBe(404)
})

test('uploads to keys like the program’s own folders are files as others', async () => {
  const database = await api.upload('holdfast.sqlite', 'mine', 'db')
  const staged = await api.upload('0', 'mine', 'tmp')

  expect([await api.hosted(database.key), await api.hosted(staged.key)]).toEqual(['mine', 'mine'])
  expect((await storedIn(holdfast).read(database)).toString()).toBe('mine')
  expect((await api.list()).length).toBeGreaterThan(0)
})

// Row 21.
test('a folder three hundred deep is moved, archived and deleted', async () => {
  const key = `deep/${Array(300).fill('d').join('/')}`
  const file = await api.upload('f', 'at the bottom', key)
  const { folders } = await api.browse()
  const { id } = folders.find(({ name }) => name === 'deep') ?? { id: '' }

  await api.data('POST', '/folders/move', { id, folder: 'moved' })
  const archive = await api.send('GET', '/folders/download?key=moved/deep')
  const entries = parseArchive(inMemory(await archive.bytes())).entries
  const hosted = await api.hosted(`moved/${file.key}`)
  await api.data('DELETE', '/folders', { id })

  expect(hosted).toBe('at the bottom')
  expect(entries).toHaveLength(302)
  expect((await storedIn(holdfast).keys()).filter((path) => path.startsWith('moved/'))).toEqual([])
  expect(wholeAnswer(await ask(holdfast.port, `/api/hosting/moved/${file.key}`))).toEqual(
    wholeAnswer(await ask(holdfast.port, '/api/hosting/nothing')),
  )
})
