import { describe, expect, test } from 'bun:test'
import { splitAnswers } from '../hosting/wire.ts'
import { withInside } from '../support/fixture.ts'
import { messageOf } from '../support/holdfast.ts'
import { sendRaw } from '../support/socket.ts'
import { head, LAST } from '../transport/bare.ts'
import { begin, countStaged, VERSION } from './tus.ts'

const holdfast = withInside()

let names = 0
const newUpload = (length: number) =>
  begin(holdfast, holdfast.withKey, { length, fields: { name: `override ${names++}` } })

interface Sending {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Sends a request that means `meant`, as a client does that cannot send it. */
const sendAs = (meant: string, path: string, { method = 'POST', headers, body }: Sending = {}) =>
  holdfast.fetch(path, {
    method,
    headers: { ...VERSION, ...holdfast.withKey, 'X-HTTP-Method-Override': meant, ...headers },
    ...(body === undefined ? {} : { body }),
  })

const piece = (offset: number) => ({
  'Content-Type': 'application/offset+octet-stream',
  'Upload-Offset': String(offset),
})

describe('X-HTTP-Method-Override on /api/uploads', () => {
  test('PATCH continues an upload', async () => {
    const path = await newUpload(6)

    const first = await sendAs('PATCH', path, { headers: piece(0), body: 'abc' })
    const last = await sendAs('PATCH', path, { headers: piece(3), body: 'def' })

    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '3'])
    expect(first.headers.get('tus-resumable')).toBe('1.0.0')
    const { key } = await holdfast.api.file(last.headers.get('holdfast-file-id') ?? '')
    expect(await holdfast.api.hosted(key)).toBe('abcdef')
  })

  test('PATCH takes a piece that is sent in chunks, and more than is kept of a short body', async () => {
    const size = 5 * 1024 ** 2
    const path = await newUpload(size)
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array(size))
        controller.close()
      },
    })

    const response = await fetch(`${holdfast.url}${path}`, {
      method: 'POST',
      headers: { ...VERSION, ...holdfast.withKey, ...piece(0), 'X-HTTP-Method-Override': 'PATCH' },
      body,
    })

    expect([response.status, response.headers.get('upload-offset')]).toEqual([204, String(size)])
  })

  test('DELETE ends an upload', async () => {
    const path = await newUpload(6)
    const staged = countStaged(holdfast)

    expect((await sendAs('DELETE', path)).status).toBe(204)

    expect(countStaged(holdfast)).toBe(Math.max(0, staged - 1))
    expect((await holdfast.fetch(path, { headers: holdfast.withKey })).status).toBe(404)
  })

  test('HEAD returns the offset without a body, and the next request on the connection gets its response', async () => {
    const path = await newUpload(6)
    const request = (version: string) =>
      head(
        `POST ${path} HTTP/1.1`,
        'Host: a',
        `API-Key: ${holdfast.key}`,
        'X-HTTP-Method-Override: HEAD',
        version,
        'Content-Length: 0',
      )
    const health = head('GET /api/health HTTP/1.1', 'Host: a')

    const bytes = await sendRaw(
      holdfast.port,
      request('Tus-Resumable: 1.0.0') + health + request('X: y') + LAST,
    )

    const answers = splitAnswers(bytes)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200])
    expect(answers[0]?.headers.get('upload-offset')).toBe('0')
    expect(answers.map(({ body }) => body.length > 0)).toEqual([false, true, false, true])
  })

  test('GET describes the upload, and OPTIONS the supported protocol', async () => {
    const path = await newUpload(6)

    const told = await sendAs('GET', path)
    const abilities = await sendAs('OPTIONS', path)

    expect(await told.json()).toMatchObject({ data: { upload: { length: 6, offset: 0 } } })
    expect([abilities.status, abilities.headers.get('tus-version')]).toEqual([204, '1.0.0'])
  })

  test('POST begins an upload, whatever method is sent', async () => {
    const response = await sendAs('POST', '/api/uploads', {
      method: 'PUT',
      headers: { 'Upload-Length': '1', 'Upload-Metadata': 'name Zw==' },
    })

    expect(response.status).toBe(201)
  })

  test('counts where the method that is meant does: access, origin and 405', async () => {
    const path = await newUpload(6)
    const anonymous = await sendAs('DELETE', path, { headers: { 'API-Key': `hf_${'0'.repeat(64)}` } })
    const foreign = await holdfast.fetch(path, {
      method: 'GET',
      headers: {
        ...VERSION,
        Cookie: holdfast.cookie,
        Origin: 'https://evil.example',
        'X-HTTP-Method-Override': 'DELETE',
      },
    })
    const unknown = await sendAs('PUT', path)

    expect([anonymous.status, foreign.status, unknown.status]).toEqual([401, 403, 405])
    expect(unknown.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH')
    expect(await messageOf(unknown)).toStartWith('PUT is not supported here. Use ')
    expect((await holdfast.fetch(path, { headers: holdfast.withKey })).status).toBe(200)
  })

  test.each(['FOO', 'patch', 'PATCH, DELETE', '', 'TRACE'])('is refused as %p', async (meant) => {
    const path = await newUpload(6)

    const response = await sendAs(meant, path, { headers: piece(0), body: 'abc' })

    expect(response.status).toBe(400)
    expect(await messageOf(response)).toBe(
      '"X-HTTP-Method-Override" must be one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
    )
    expect((await holdfast.fetch(path, { headers: holdfast.withKey })).headers.get('upload-offset')).toBe('0')
  })
})

test('X-HTTP-Method-Override means nothing on other routes', async () => {
  const file = await holdfast.api.upload('kept.txt', 'x')
  const override = { ...holdfast.withKey, 'X-HTTP-Method-Override': 'DELETE' }

  const renamed = await holdfast.fetch('/api/files', {
    method: 'PUT',
    headers: override,
    body: JSON.stringify({ id: file.id, name: 'renamed.txt' }),
  })
  const listed = await holdfast.fetch('/api/files', { headers: override })
  const beside = await holdfast.fetch('/api/uploadsx', { method: 'POST', headers: override })

  expect([renamed.status, listed.status, beside.status]).toEqual([200, 200, 404])
  expect((await holdfast.api.file(file.id)).name).toBe('renamed.txt')
})
