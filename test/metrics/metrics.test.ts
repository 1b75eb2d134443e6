import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { refusalOf, startHoldfast } from '../support/holdfast.ts'
import { KIND } from '../support/kind.ts'
import { begin } from '../uploads/tus.ts'

const TOKEN = 'a-token-for-prometheus'

/** Parses the values by name and labels. */
function valuesOf(text: string): Map<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

const holdfast = withHoldfast({ isAlone: true, environment: { METRICS_TOKEN: TOKEN } })

describe('/metrics', () => {
  test('is not there without a token', async () => {
    await using holdfast = await startHoldfast()

    expect(
      await refusalOf(await holdfast.fetch('/metrics', { headers: { Authorization: `Bearer ${TOKEN}` } })),
    ).toEqual([404, 'Not found'])
  })

  const REFUSED = [undefined, 'Bearer', 'Bearer ', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]
  test.each(REFUSED)('is refused to %p', async (authorization) => {
    const headers: Record<string, string> =
      authorization === undefined ? {} : { Authorization: authorization }
    const response = await holdfast.fetch('/metrics', { headers })

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('limits the rate of guesses at the token, but not of the token', async () => {
    await using holdfast = await startHoldfast({
      environment: { METRICS_TOKEN: TOKEN, RATE_LIMIT_API: '2' },
    })
    const statusFor = async (token: string) =>
      (await holdfast.fetch('/metrics', { headers: { Authorization: `Bearer ${token}` } })).status

    expect([await statusFor('a'), await statusFor('b'), await statusFor('c')]).toEqual([401, 401, 429])
    expect(await statusFor(TOKEN)).toBe(200)
  })

  test('counts requests and stored files', async () => {
    await holdfast.api.upload('a', 'hello')
    await holdfast.api.upload('b', 'hi', '', 'private')
    await begin(holdfast, holdfast.withKey, { length: 3, fields: { name: 'c' } })
    for (const key of ['a', 'a', 'a', 'b']) await (await holdfast.fetch(`/api/hosting/${key}`)).bytes()

    const response = await holdfast.fetch('/metrics', { headers: { Authorization: `bearer ${TOKEN}` } })

    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    for (const line of text.split('\n'))
      expect(line).toMatch(
        /^$|^# (HELP|TYPE) [a-z_]+ .+|^[a-z_]+(\{[a-z]+="\w+"(,[a-z]+="\w+")*\})? [\d.e-]+$/,
      )
    const values = valuesOf(text)
    expect(Object.fromEntries(values)).toMatchObject({
      'holdfast_requests_total{kind="app",status="200"}': 4,
      'holdfast_requests_total{kind="upload",status="201"}': 1,
      'holdfast_requests_total{kind="hosting",status="404"}': 1,
      holdfast_hosted_requests_total: 3,
      holdfast_hosted_bytes_total: 15,
      holdfast_hosted_not_found_total: 1,
      'holdfast_files{visibility="public"}': 1,
      'holdfast_file_bytes{visibility="private"}': 2,
      holdfast_unfinished_uploads: 1,
      holdfast_damaged_files: 0,
    })
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    // The log of PostgreSQL is its own.
    expect((values.get('holdfast_database_log_bytes') ?? 0) > 0).toBe(KIND !== 'scale')
    expect(values.get('holdfast_volume_capacity_bytes')).toBeGreaterThan(0)
  })
})
