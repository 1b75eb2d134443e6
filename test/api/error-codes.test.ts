import { describe, expect, test } from 'bun:test'
import type { Document } from '../../src/api/openapi/document.ts'
import { ERROR_CODE, ERROR_CODES, isErrorCode } from '../../src/platform/error-codes.ts'
import { withHoldfast } from '../support/fixture.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { MULTIPART } from '../support/multipart.ts'
import { parseAnswer, type RawAnswer, sendRaw } from '../support/socket.ts'

const ID = '019a2f3c-7b1e-7c44-9d0a-5e2f6b8c1d37'

const holdfast = withHoldfast()

/** Returns the code of a response, which must be a failure of the status that the code has. */
function codeOf({ status, headers }: { status: number; headers: Pick<Headers, 'get'> }): string | null {
  const code = headers.get(ERROR_CODE)
  if (code !== null && isErrorCode(code)) expect(status).toBe(ERROR_CODES[code][0])
  return code
}

const coded = ({ status, headers }: RawAnswer) => ({
  status,
  headers: { get: (name: string) => headers.get(name.toLowerCase()) ?? null },
})

const codeAt = async (path: string, init: RequestInit = {}) => codeOf(await holdfast.fetch(path, init))

describe('Error-Code', () => {
  test('is in the failures of every documented operation, whatever is wrong with a request', async () => {
    const document = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
    const headers = { ...holdfast.withKey, 'Content-Type': 'application/json' }
    const [session, key] = [holdfast.admin.withSession, holdfast.withKey]
    const missing = { id: ID, fileId: ID, version: ID, ids: [ID], fileIds: [ID], folderId: ID }
    const bodies = ['{', '[]', JSON.stringify(missing), JSON.stringify({ ...missing, name: '/' })]
    const codes = new Set<string | null>()
    let failures = 0
    for (const [template, methods] of Object.entries(document.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, ID)
      for (const method of [...Object.keys(methods).map((name) => name.toUpperCase()), 'PROPFIND']) {
        if (method === 'OPTIONS' || template === '/api/changes') continue
        const inits: RequestInit[] = [
          {},
          { headers: { 'API-Key': 'hf_wrong' } },
          { headers: key },
          { headers: session },
        ]
        if (method !== 'GET') inits.push(...bodies.map((body) => ({ headers, body })))
        inits.push({ headers: { ...session, Origin: 'https://evil.example' } })
        // Signing out ends the session that the rest of the walk needs.
        for (const init of template === '/api/auth/sign-out' ? inits.slice(0, 1) : inits) {
          const response = await holdfast.fetch(path, { ...init, method })
          if (response.status < 400) continue
          failures += 1
          codes.add(codeOf(response))
        }
      }
    }
    expect(failures).toBeGreaterThan(400)
    expect(codes.size).toBeGreaterThan(10)
    expect(codes).not.toContain(null)
  })

  test('tells a missing file, a missing folder and an unknown route apart', async () => {
    const { withKey: headers } = holdfast
    expect(await codeAt(`/api/files/details?id=${ID}`, { headers })).toBe('file-not-found')
    expect(await codeAt(`/api/folders/totals?id=${ID}`, { headers })).toBe('folder-not-found')
    expect(await codeAt('/api/nothing', { headers })).toBe('not-found')
    expect(await codeAt('/api/files', { method: 'PATCH', headers })).toBe('method-not-allowed')
  })

  test('tells a missing scope and a route for sessions apart', async () => {
    const reader = await holdfast.byKey('files:read')
    expect(codeOf(await reader.send('DELETE', '/files', { ids: [ID] }))).toBe('scope-missing')
    expect(codeOf(await reader.send('GET', '/settings'))).toBe('session-required')
    const viewer = await holdfast.addUser('viewer')
    expect(codeOf(await viewer.api.send('GET', '/settings'))).toBe('scope-missing')
  })

  test('is name-taken for a taken name of a file and of a folder', async () => {
    const send = () => holdfast.sendUpload({ 'a.txt': 'a' }, { folder: 'taken' })
    await send()
    expect(codeOf(await send())).toBe('name-taken')
    expect(codeOf(await holdfast.api.send('POST', '/folders', { folder: 'taken' }))).toBe('name-taken')
  })

  test('is the same for a private file and a missing one on hosting, as a page too', async () => {
    await holdfast.sendUpload({ 'private.txt': 'a' }, { visibility: 'private' })
    for (const accept of ['*/*', 'text/html'])
      for (const name of ['private.txt', 'missing.txt'])
        expect(await codeAt(`/api/hosting/${name}`, { headers: { Accept: accept } })).toBe('file-not-found')
  })

  test('is in the failures of sign-in, beside the code in their body', async () => {
    const response = await holdfast.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { Origin: BASE_URL },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'not the password' }),
    })
    expect(codeOf(response)).toBe('invalid-email-or-password')
    expect(await response.json()).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
  })

  test('is in what a broken form and a compressed body get', async () => {
    const send = (headers: Record<string, string>) =>
      codeAt('/api/files', { method: 'POST', headers: { ...holdfast.withKey, ...headers }, body: 'nothing' })
    expect(await send(MULTIPART)).toBe('invalid')
    expect(await send({ ...MULTIPART, 'Content-Encoding': 'gzip' })).toBe('unsupported-media-type')
  })

  test.each([
    ['a head without a host', 'GET /api/files HTTP/1.1\r\n\r\n', 'invalid'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'method-not-allowed'],
    [
      'a long head',
      `GET /api/files HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'header-too-large',
    ],
    ['an unknown method', 'BREW /api/files HTTP/1.1\r\nHost: a\r\n\r\n', 'not-implemented'],
    ['another version', 'GET /api/files HTTP/3.0\r\nHost: a\r\n\r\n', 'version-not-supported'],
    ['a later minor version', 'GET /api/files HTTP/1.2\r\nHost: a\r\n\r\n', 'version-not-supported'],
  ])('is in what the transport refuses: %s', async (_, request, code) => {
    expect(codeOf(coded(parseAnswer(await sendRaw(holdfast.port, request))))).toBe(code)
  })
})
