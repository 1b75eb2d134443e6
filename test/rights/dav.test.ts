import { beforeAll, describe, expect, test } from 'bun:test'
import type { Api } from '../support/api.ts'
import { basic, type Dav, davOf } from '../support/dav.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, createKey } from '../support/holdfast.ts'
import { ADD, addGuest, bindKey, EDIT, VIEW } from './guests.ts'
import { MARK } from './world.ts'

const holdfast = withInside()
const { api } = holdfast

const LOCKINFO =
  '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>'
const PATCH = '<propertyupdate xmlns="DAV:"><set><prop><a xmlns="urn:a">1</a></prop></set></propertyupdate>'

/** Bodies that methods need. */
const BODIES: Record<string, string> = { PROPPATCH: PATCH, LOCK: LOCKINFO }

/** Places of requests: inside the folder of a caller, outside, where nothing is, and above the folder. */
const PLACES = {
  inside: 'clients/acme/bills',
  outside: `clients/${MARK}/pay`,
  missing: 'clients/nowhere/pay',
} as const

type Place = keyof typeof PLACES
type Callers = 'editor' | 'password' | 'adder' | 'viewer' | 'bound' | 'reading' | 'nobody'

/** Requests of each method: the path in a place, headers, and the body. */
interface Row {
  name: string
  method: string
  path: (place: string) => string
  headers?: (place: string) => Record<string, string>
  body?: string
  /** Status of an allowed request inside, and the callers that may send it. */
  done: number
  may: readonly Callers[]
}

const READERS = ['editor', 'password', 'adder', 'viewer', 'bound', 'reading'] as const
const WRITERS = ['editor', 'password', 'adder', 'bound'] as const
const EDITORS = ['editor', 'password', 'bound'] as const

const file = (place: string) => `${place}/file.txt`
const fresh = (place: string) => `${place}/new-${Bun.randomUUIDv7().slice(-12)}`
const own = () => ({ Destination: `/dav/${fresh(PLACES.inside)}` })

const ROWS: Row[] = [
  { name: 'GET', method: 'GET', path: file, done: 200, may: READERS },
  { name: 'HEAD', method: 'HEAD', path: file, done: 200, may: READERS },
  {
    name: 'PROPFIND of a file',
    method: 'PROPFIND',
    path: file,
    headers: () => ({ Depth: '0' }),
    done: 207,
    may: READERS,
  },
  {
    name: 'PROPFIND of a folder',
    method: 'PROPFIND',
    path: (place) => place,
    headers: () => ({ Depth: '1' }),
    done: 207,
    may: READERS,
  },
  { name: 'PUT over a file', method: 'PUT', path: file, body: 'put', done: 204, may: WRITERS },
  { name: 'PUT of a new file', method: 'PUT', path: fresh, body: 'new', done: 201, may: WRITERS },
  { name: 'MKCOL', method: 'MKCOL', path: fresh, done: 201, may: WRITERS },
  { name: 'PROPPATCH', method: 'PROPPATCH', path: file, body: PATCH, done: 207, may: WRITERS },
  { name: 'LOCK of a new file', method: 'LOCK', path: fresh, body: LOCKINFO, done: 201, may: WRITERS },
  {
    name: 'UNLOCK',
    method: 'UNLOCK',
    path: file,
    headers: () => ({ 'Lock-Token': '<urn:x>' }),
    done: 409,
    may: [...WRITERS, 'viewer'],
  },
  { name: 'COPY from', method: 'COPY', path: file, headers: own, done: 201, may: WRITERS },
  {
    name: 'COPY to',
    method: 'COPY',
    path: () => file(PLACES.inside),
    headers: (place) => ({ Destination: `/dav/${fresh(place)}` }),
    done: 201,
    may: WRITERS,
  },
  {
    name: 'COPY over',
    method: 'COPY',
    path: () => 'clients/acme/bills/other.txt',
    headers: (place) => ({ Destination: `/dav/${file(place)}` }),
    done: 204,
    may: WRITERS,
  },
  {
    name: 'MOVE from',
    method: 'MOVE',
    path: (place) => `${place}/moved.txt`,
    headers: own,
    done: 201,
    may: WRITERS,
  },
  {
    name: 'MOVE to',
    method: 'MOVE',
    path: () => 'clients/acme/bills/moved.txt',
    headers: (place) => ({ Destination: `/dav/${fresh(place)}` }),
    done: 201,
    may: WRITERS,
  },
  {
    name: 'DELETE of a file',
    method: 'DELETE',
    path: (place) => `${place}/deleted.txt`,
    done: 204,
    may: EDITORS,
  },
  {
    name: 'DELETE of a folder',
    method: 'DELETE',
    path: (place) => `${place}/below`,
    done: 204,
    may: EDITORS,
  },
]

const callers = new Map<Callers, Dav>()

/** Puts back what requests use up. */
async function prepare(): Promise<void> {
  for (const place of [PLACES.inside, PLACES.outside]) {
    const there = await api.browse({ key: place })
    const has = (name: string) => [...there.files, ...there.folders].some((item) => item.name === name)
    for (const name of ['file.txt', 'other.txt', 'moved.txt', 'deleted.txt'])
      if (!has(name)) await api.upload(name, place, place, 'private')
    if (!has('below')) await api.createFolder(`${place}/below`)
  }
}

beforeAll(async () => {
  const { id } = await api.createFolder(PLACES.inside)
  await api.createFolder(PLACES.outside)
  await prepare()
  const keyOf = async (from: Api) =>
    (
      await from.data<{ key: { key: string } }>('POST', '/keys', {
        name: 'dav',
        scopes: ['files:read', 'files:write', 'files:delete'],
      })
    ).key.key
  const davBy = (credentials: Record<string, string>) => davOf(holdfast, () => credentials)
  for (const [name, rights] of [
    ['editor', EDIT],
    ['adder', ADD],
    ['viewer', VIEW],
  ] as const) {
    const guest = await addGuest(holdfast, { [id]: rights })
    callers.set(name, davBy(basic(await keyOf(guest.api))))
    if (name !== 'editor') continue
    const { user } = await guest.api.data<{ user: { email: string } }>('GET', '/me')
    callers.set('password', davBy(basic(ADMIN.password, user.email)))
  }
  // A locked place outside is as if it were not there, too.
  const locked = await davBy(basic(holdfast.key)).status('LOCK', PLACES.outside, {}, LOCKINFO)
  expect(locked).toBe(200)
  const { headers } = await bindKey(holdfast, id)
  callers.set('bound', davBy(basic(headers['API-Key'] ?? '')))
  const reading = await createKey(holdfast, holdfast.cookie, {
    name: 'r',
    scopes: ['files:read'],
    folderId: id,
  })
  callers.set('reading', davBy(basic(reading)))
  callers.set('nobody', davBy(basic(await keyOf((await addGuest(holdfast, {})).api))))
})

async function send(caller: Callers, row: Row, place: string) {
  const dav = callers.get(caller)
  if (!dav) throw new Error(`There is no caller ${caller}`)
  const response = await dav.send(row.method, row.path(place), row.headers?.(place), row.body)
  const headers = Object.fromEntries(response.headers)
  for (const name of ['x-request-id', 'date']) delete headers[name]
  return { status: response.status, headers, text: await response.text() }
}

/** Returns what is stored outside, with its bytes. */
const outside = () => api.checksums(`clients/${MARK}`)

test('the right to read a file is not enough to lock it', async () => {
  expect(await callers.get('viewer')?.status('LOCK', file(PLACES.inside), {}, LOCKINFO)).toBe(403)
})

describe('above their folders', () => {
  test('callers see the way to them, and change nothing', async () => {
    for (const caller of ['editor', 'bound'] as const) {
      const dav = callers.get(caller)
      if (!dav) throw new Error('There is no caller')
      expect(await dav.list('')).toEqual(['/dav/', '/dav/clients/'])
      expect(await dav.list('clients')).toEqual(['/dav/clients/', '/dav/clients/acme/'])
      expect(await dav.list('clients/acme')).toEqual(['/dav/clients/acme/', '/dav/clients/acme/bills/'])
      const refused: [string, string, Record<string, string>?][] = [
        ['PUT', 'new.txt'],
        ['MKCOL', 'clients/new'],
        ['DELETE', 'clients/acme'],
        ['DELETE', 'clients/acme/bills'],
        ['MOVE', 'clients/acme/bills', { Destination: '/dav/clients/acme/other' }],
        ['PROPPATCH', 'clients', {}],
        ['LOCK', ''],
        ['LOCK', 'clients/acme'],
      ]
      for (const [method, path, headers] of refused)
        expect([method, path, await dav.status(method, path, headers, BODIES[method])]).toEqual([
          method,
          path,
          403,
        ])
    }
    expect(await callers.get('nobody')?.list('')).toEqual(['/dav/'])
  })
})

describe.each(['editor', 'password', 'adder', 'viewer', 'bound', 'reading', 'nobody'] as const)(
  '%s',
  (caller) => {
    test.each(ROWS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
      await prepare()
      const before = await outside()
      const answers = new Map<Place, Awaited<ReturnType<typeof send>>>()
      for (const place of ['outside', 'missing'] as const)
        answers.set(place, await send(caller, row, PLACES[place]))

      expect(answers.get('outside')).toEqual(answers.get('missing') ?? expect.unreachable())
      expect(JSON.stringify(answers.get('outside'))).not.toContain(MARK)
      expect(answers.get('outside')?.status).toBeGreaterThanOrEqual(400)
      expect(await outside()).toEqual(before)

      const inside = await send(caller, row, PLACES.inside)
      if (row.may.includes(caller)) expect(inside.status).toBe(row.done)
      else expect([403, 404, 409]).toContain(inside.status)
      expect(JSON.stringify(inside)).not.toContain(MARK)
    })
  },
)
