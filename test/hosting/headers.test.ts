import { beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount, withHoldfast } from '../support/fixture.ts'
import { startHoldfast } from '../support/holdfast.ts'
import {
  ask as askPort,
  envelopeMessage,
  expectExactLength,
  headersBut,
  onWire,
  type Question,
} from './wire.ts'

const holdfast = withHoldfast()
const { ask } = onWire(holdfast)
beforeAll(async () => {
  await holdfast.api.upload('f.html', '<p>')
})

const ON_ALL = {
  'accept-ranges': 'bytes',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Accept-Ranges, Error-Code',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

describe('the headers of a hosted response', () => {
  test.each<[status: number, key: string, question: Question]>([
    [200, 'f.html', {}],
    [200, 'f.html', {}],
    [200, 'f.html', { method: 'HEAD' }],
    [204, 'f.html', { method: 'OPTIONS' }],
    [206, 'f.html', { headers: ['Range: bytes=0-1'] }],
    [304, 'f.html', { headers: ['If-None-Match: *'] }],
    [404, 'nope', {}],
    [404, '', {}],
    [404, '%zz', {}],
    [404, 'nope', { method: 'HEAD' }],
    [405, 'f.html', { method: 'POST' }],
    [412, 'f.html', { headers: ['If-Match: "x"'] }],
    [416, 'f.html', { headers: ['Range: bytes=3-'] }],
  ])('of status %d isolate uploaded content: %s %j', async (status, key, question) => {
    const answer = await ask(`/api/hosting/${key}`, question)

    expect(answer.status).toBe(status)
    expect(headersBut(answer)).toMatchObject(ON_ALL)
    for (const name of ['set-cookie', 'access-control-allow-credentials'])
      expect(answer.headers.has(name)).toBe(false)
  })

  test('are the same beyond the rate limit', async () => {
    await using limited = await startHoldfast({ environment: { RATE_LIMIT_HOSTING: '1' } })
    await askPort(limited.port, '/api/hosting/nope')

    const answer = await askPort(limited.port, '/api/hosting/nope')

    expect([answer.status, envelopeMessage(answer)]).toEqual([429, 'Too many requests'])
    expect(headersBut(answer)).toMatchObject({
      ...ON_ALL,
      'retry-after': expect.stringMatching(/^[1-9]\d?$/),
    })
    expectExactLength(answer)
  })

  test('are the same when the catalog fails, and the response does not reveal it', async () => {
    await using broken = await startInsideWithAccount()
    await broken.api.upload('f', 'whole again')
    using database = openDatabase(broken)
    database.run('ALTER TABLE files RENAME TO files_away')

    const answer = await askPort(broken.port, '/api/hosting/f')
    database.run('ALTER TABLE files_away RENAME TO files')
    const repaired = await askPort(broken.port, '/api/hosting/f')

    expect([answer.status, envelopeMessage(answer)]).toEqual([500, 'Internal server error'])
    expect(headersBut(answer)).toMatchObject(ON_ALL)
    expect(broken.logged.map(({ error }) => String(error)).join()).toContain('files')
    expect([repaired.status, repaired.body.toString()]).toEqual([200, 'whole again'])
  })
})
