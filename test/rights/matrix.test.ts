import { beforeAll, describe, expect, test } from 'bun:test'
import { scopesOf } from '../../src/access/caller.ts'
import type { Document } from '../../src/api/openapi/document.ts'
import { ERROR_CODE } from '../../src/platform/error-codes.ts'
import type { Right } from '../../src/store/store.ts'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, bindKey } from './guests.ts'
import { type Ask, ROWS, type Row } from './rows.ts'
import { fixed, MARK, NOWHERE, type Place, placeIn, recorded } from './world.ts'

const holdfast = withInside({ environment: { SITES_DOMAIN: 'sites.test' } })

/** Folder of the guests. The names of everything beside and above it have the mark, but for those of its key. */
const INSIDE = 'clients/acme/bills'
const OUTSIDE = { beside: `${MARK}-other`, above: 'clients/acme', root: '' }

interface Caller {
  api: Api
  scopes: readonly string[]
  by: 'session' | 'key'
  /** Rights in the folder of the guests. */
  rights: readonly Right[]
  isLimited: boolean
}

const EDITOR = scopesOf({ role: 'editor', customScopes: [] })
const EVERY_RIGHT: readonly Right[] = ['read', 'write', 'delete', 'share']
const callers = {} as Record<'admin' | 'viewer' | 'reader' | 'adder' | 'editor' | 'nothing' | 'bound', Caller>
const outside = {} as Record<keyof typeof OUTSIDE, Place>
const security: Record<string, readonly string[] | undefined> = {}
const needsSession = new Set<string>()

beforeAll(async () => {
  const { id } = await holdfast.api.createFolder(INSIDE)
  await holdfast.api.createFolder(`clients/${MARK}-client`)
  await holdfast.api.createFolder(OUTSIDE.beside)
  const session = (api: Api, role: 'admin' | 'editor' | 'viewer', rights?: readonly Right[]): Caller => ({
    api,
    scopes: scopesOf({ role, customScopes: [] }),
    by: 'session',
    rights: rights ?? EVERY_RIGHT,
    isLimited: rights !== undefined,
  })
  callers.admin = session(holdfast.bySession, 'admin')
  callers.viewer = session((await holdfast.addUser('viewer')).api, 'viewer')
  const guest = async (...rights: Right[]) =>
    session((await addGuest(holdfast, rights.length > 0 ? { [id]: rights } : {})).api, 'editor', rights)
  callers.reader = await guest('read')
  callers.adder = await guest('read', 'write')
  callers.editor = await guest(...EVERY_RIGHT)
  callers.nothing = await guest()
  const scopes = EDITOR.filter((scope) => scope.startsWith('files:'))
  callers.bound = {
    api: await bindKey(holdfast, id),
    scopes,
    by: 'key',
    rights: EVERY_RIGHT,
    isLimited: true,
  }
  await holdfast.bySession.data('PUT', '/settings', { sharing: 'readers' })
  await fillOutside()
  await readSecurity()
})

/** Ids of what is outside, which no response to a guest has unless its request names them. */
const idsOutside: string[] = []

async function fillOutside(): Promise<void> {
  for (const at of ['beside', 'above', 'root'] as const) {
    const folder = OUTSIDE[at]
    const id = (await holdfast.server.deps.store.folders.idAt(folder.split('/').filter(Boolean))) ?? ''
    const place = placeIn(holdfast, folder, { prefix: MARK, owner: holdfast.bySession })
    const own = at === 'beside' ? place : { ...place, folder: async () => ({ id, key: folder }) }
    outside[at] = fixed(own)
    const { file, folder: within, version, trashed, upload, share, site } = outside[at]
    // The view of the root has its id.
    idsOutside.push((await file()).id, ...(at === 'root' ? [] : [(await within()).id]))
    for (const make of [version, trashed, upload, share, site]) idsOutside.push(await make())
  }
}

/** Returns what an admin sees outside. */
async function stateOutside(): Promise<unknown> {
  const { api, bySession, trash } = holdfast
  const { sites } = await api.data<{ sites: { name: string }[] }>('GET', '/sites')
  const { shares } = await bySession.data<{ shares: { title: string | null }[] }>('GET', '/shares?all=1')
  const uploads = Object.values(outside).map(async ({ upload }) => {
    const found = await bySession.send('GET', `/uploads/${await upload()}`)
    return [found.status, found.headers.get('upload-offset')]
  })
  return {
    files: (await api.list({ orderBy: 'name' })).filter(({ key }) => !key.startsWith(INSIDE)),
    folders: await Promise.all(
      Object.values(OUTSIDE).map(async (key) => (await api.browse({ key })).folders),
    ),
    trash: (await trash.list('?limit=1000')).items.filter(({ key }) => !key.startsWith(INSIDE)),
    sites: sites.filter(({ name }) => name.startsWith(MARK)),
    shares: shares.filter(({ title }) => title === MARK),
    uploads: await Promise.all(uploads),
  }
}

/** Reads the scopes of all operations, and which of them need a session. */
async function readSecurity(): Promise<void> {
  const { paths } = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security: ways }] of Object.entries(methods)) {
      const operation = `${method.toUpperCase()} ${path}`
      security[operation] = ways.flatMap(({ session = [] }) => session)
      if (ways.length > 0 && !ways.some(({ apiKey }) => apiKey)) needsSession.add(operation)
    }
}

interface Told {
  /** Status, headers and body. */
  text: string
  /** `ok`, the error code, or the reason why an id of several failed. */
  outcome: string
}

const HEADERS_OF_ONE = ['date', 'x-request-id', 'content-length', 'etag', 'last-modified']

/** Sends a request. Its response is compared without ids, times and what the request names. */
async function tell(operation: string, { api }: Caller, ask: Ask, given: readonly string[]): Promise<Told> {
  const [method = '', template = ''] = operation.split(' ')
  const path = template.replace(/\{\w+\}/, ask.path ?? '')
  const search = ask.query ? `?${new URLSearchParams(ask.query)}` : ''
  const { body } = ask
  const isRaw = body instanceof FormData || body instanceof Blob || typeof body === 'string'
  const response = await holdfast.fetch(`${path}${search}`, {
    method,
    headers: { ...api.headers, ...ask.headers },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  })
  const text = await textOf(response)
  const clean = (text: string) =>
    [...given]
      .sort((a, b) => b.length - a.length)
      .reduce(
        (cleaned, value) =>
          value.length > 0
            ? cleaned.replaceAll(value, '<named>').replaceAll(encodeURIComponent(value), '<named>')
            : cleaned,
        text,
      )
  const headers = [...response.headers].filter(([name]) => !HEADERS_OF_ONE.includes(name))
  return {
    text: clean([response.status, ...headers.map((pair) => pair.join(': ')), text].join('\n')),
    outcome: outcomeOf(response, text),
  }
}

/** Returns the body of a response; of a stream, its first event. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return await response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return Buffer.from(first?.value ?? []).toString()
}

function outcomeOf({ status, headers }: Response, text: string): string {
  if (status >= 400) return headers.get(ERROR_CODE) ?? String(status)
  const isJson = headers.get('content-type')?.startsWith('application/json')
  const failed = isJson ? (JSON.parse(text).data?.failed ?? []) : []
  return failed.length > 0 ? `failed: ${failed[0].message}` : 'ok'
}

/** Asserts that a response to a guest has no name and no id from outside. */
function assertSilent({ text }: Told, of: string): void {
  expect([of, text.includes(MARK) ? text : 'silent']).toEqual([of, 'silent'])
  expect([of, idsOutside.filter((id) => text.includes(id))]).toEqual([of, []])
}

/** Sends all requests of a row about a place. */
async function tellAll(operation: string, caller: Caller, at: Place): Promise<Told[]> {
  const row = rowOf(operation)
  const { place, given } = recorded(at)
  const all: Told[] = []
  for (const ask of (await row.asks?.(place, caller.api)) ?? [])
    all.push(await tell(operation, caller, ask, given))
  return all
}

function rowOf(operation: string): Row {
  const row = ROWS[operation]
  if (!row) throw new Error(`The matrix has no row for ${operation}`)
  return row
}

/** Returns what comes inside: `ok`, a reason, or a missing right. */
function expected(operation: string, { by, scopes, rights }: Caller): string {
  const { right = 'read', comes = 'ok' } = rowOf(operation)
  if (by === 'key' && needsSession.has(operation)) return 'session-required'
  if (security[operation]?.some((scope) => !scopes.includes(scope as never))) return 'scope-missing'
  return rights.includes(right) ? comes : 'right-missing'
}

/** Shortens the outcome of a batch whose ids failed for want of a right. */
const shortened = ({ outcome }: Told) =>
  outcome.startsWith('failed: Missing right') ? 'right-missing' : outcome

const operations = Object.entries(ROWS)
const about = operations.filter(([, { asks }]) => asks).map(([operation]) => operation)
const plain = operations.filter(([, { plain }]) => plain).map(([operation]) => operation)
const LIMITED = ['reader', 'editor', 'nothing', 'bound'] as const

test('has a row for each operation of the API, and no other', () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(Object.keys(security).toSorted())
})

describe.each(about)('%s', (operation) => {
  const { leavesOut, shows, fills, isOwn } = rowOf(operation)

  test('lets each caller do inside what its scopes and rights allow', async () => {
    const outcomes: Record<string, string[]> = {}
    const wanted: Record<string, string[]> = {}
    for (const [name, caller] of Object.entries(callers)) {
      if (name === 'nothing') continue
      const comes = expected(operation, caller)
      if (isOwn && comes !== 'ok') continue
      const told = await tellAll(
        operation,
        caller,
        placeIn(holdfast, INSIDE, isOwn ? { owner: caller.api } : {}),
      )
      for (const one of told) if (caller.isLimited) assertSilent(one, name)
      outcomes[name] = told.map(shortened)
      wanted[name] = told.map(() => comes)
    }
    expect(outcomes).toEqual(wanted)
  })

  test.each(LIMITED)('tells and changes nothing outside for %s', async (name) => {
    const caller = callers[name]
    const before = await stateOutside()
    const missing = await tellAll(operation, caller, NOWHERE)
    const isAllowed = !['session-required', 'scope-missing'].includes(expected(operation, caller))
    if (isAllowed && !leavesOut) expect(missing.map(({ outcome }) => outcome)).not.toContain('ok')
    for (const at of name === 'nothing'
      ? (['inside', 'beside', 'above', 'root'] as const)
      : (['beside', 'above', 'root'] as const)) {
      if (fills && at === 'root') continue
      const place = at === 'inside' ? placeIn(holdfast, INSIDE) : outside[at]
      const told = await tellAll(operation, caller, place)
      for (const one of told) assertSilent(one, `${at} to ${name}`)
      if (shows && (at === 'above' || at === 'root')) continue
      expect([at, told]).toEqual([at, missing])
    }
    expect(await stateOutside()).toEqual(before)
  })
})

describe.each(plain)('%s', (operation) => {
  test('names nothing from outside', async () => {
    const { plain: ask = {}, isForManagers } = rowOf(operation)
    for (const [name, caller] of Object.entries(callers)) {
      const comes = expected(operation, { ...caller, rights: EVERY_RIGHT })
      if (isForManagers && comes === 'ok') continue
      const told = await tell(operation, caller, ask, [])
      expect([name, told.outcome]).toEqual([name, comes])
      if (caller.isLimited) assertSilent(told, name)
    }
  })
})
