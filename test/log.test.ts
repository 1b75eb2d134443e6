import { describe, expect, test } from 'bun:test'
import { eventually } from './support/eventually.ts'
import { registerWith, spawnHoldfast } from './support/process.ts'

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('the log', () => {
  test('is one JSON object per line, with an id for each request and no secret', async () => {
    const environment = { LOG_FORMAT: 'json', LOG_LEVEL: 'debug' }
    await using holdfast = await spawnHoldfast({ environment })
    const { withKey, cookie } = await registerWith(holdfast)
    const signed = '/api/hosting/a?exp=1&sig=secret-signature'

    const answers = [
      await holdfast.fetch('/api/files?name=secret-query', { headers: withKey }),
      await holdfast.fetch(signed, { headers: { Cookie: cookie } }),
      await holdfast.fetch('/api/health', { headers: { 'X-Request-Id': 'of-the-proxy' } }),
    ]

    // Written before the answer, read here whenever that comes about.
    await eventually(() => holdfast.output().includes('of-the-proxy'))
    const lines = linesOf(holdfast.output())
    const [files, , health] = answers.map((answer) => answer.headers.get('x-request-id'))
    expect(lines[0]).toMatchObject({ level: 'info', msg: expect.stringContaining('listening on') })
    expect(lines).toContainEqual(
      expect.objectContaining({ requestId: files, method: 'GET', path: '/api/files', status: 200 }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ path: '/api/hosting/a', status: 404 }))
    expect(health).toBe('of-the-proxy')
    for (const secret of [withKey['API-Key'], cookie.split('=')[1] ?? '', 'secret', 'correct horse'])
      expect(holdfast.output()).not.toContain(secret)
  })

  test('says nothing of requests unless it is asked to', async () => {
    await using quiet = await spawnHoldfast({ environment: { LOG_FORMAT: 'json' } })
    await quiet.fetch('/api/health', { headers: { 'X-Request-Id': '<script>' } })

    expect(linesOf(quiet.output()).filter((line) => 'requestId' in line)).toEqual([])
  })

  test('has the addresses, the unclaimed instance and security events at every level, and nothing else', async () => {
    await using quiet = await spawnHoldfast({ environment: { LOG_LEVEL: 'error' } })
    await eventually(() => quiet.output().includes('becomes its admin'))
    const { withKey } = await registerWith(quiet)
    await quiet.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: 'ada@example.com', password: 'a wrong one' }),
    })
    await quiet.fetch('/api/files', { headers: withKey })
    await eventually(() => quiet.output().includes('Security: sign-in.failed address=127.0.0.1'))

    const others = quiet
      .output()
      .split('\n')
      .filter((line) => !/listening on|Security: |becomes its admin|^ *http|^$/.test(line))
    expect(quiet.output()).toContain('Security: account.registered')
    expect(others).toEqual([])
  })

  test('hosted files carry no id: their headers are kept', async () => {
    await using holdfast = await spawnHoldfast()

    const response = await holdfast.fetch('/api/hosting/none')

    expect(response.headers.has('x-request-id')).toBe(false)
  })
})
