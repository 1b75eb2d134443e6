import { beforeAll, describe, expect, test } from 'bun:test'
import type { SecurityEntry } from '../../src/client/types.ts'
import { field } from '../../src/modules/activity.ts'
import { openDatabase } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

const clock = new TestClock()
const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}`
const holdfast = withInside({ clock })
const { admin } = holdfast
beforeAll(async () => {
  using database = openDatabase(holdfast)
  for (let n = 1; n <= 20; n += 1)
    database.run(
      `INSERT INTO security_events (id, type, user_id, email, actor_id, ip_address, user_agent, detail, created_at)
       VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
      [
        Bun.randomUUIDv7(),
        n % 2 === 0 ? 'sign-in.failed' : 'role.changed',
        n % 5 === 0 ? 'someone' : 'other',
        'grace@example.com',
        `203.0.113.${n % 4}`,
        n === 20 ? '=HYPERLINK("http://evil.test","a")' : 'curl/8.5.0',
        n === 19 ? 'a, "b"' : null,
        Date.parse(`${day(n)}T12:00:00Z`),
      ],
    )
})

const UNTIL = `until=${day(25)}`
const list = async (query: string) => {
  const path = `/activity?security=1&${query.includes('until') ? '' : UNTIL}${query}`
  return (await admin.api.data<{ activities: SecurityEntry[] }>('GET', path)).activities
}
const daysOf = (entries: SecurityEntry[]) => entries.map(({ createdAt }) => createdAt.slice(0, 10))
const exported = (query: string) => admin.api.send('GET', `/activity/security.csv?${query}`)
const linesOf = async (query: string) => (await (await exported(query)).text()).split('\r\n')

describe('the security log', () => {
  test('is filtered by address, time, account and types together', async () => {
    const address = '&address=203.0.113.0'
    const found = await list(address)

    expect(daysOf(found)).toEqual([day(20), day(16), day(12), day(8), day(4)])
    expect(daysOf(await list(`${address}&after=${day(8)}&until=${day(16)}`))).toEqual([day(12), day(8)])
    expect(daysOf(await list(`${address}&types=sign-in.failed,sign-out&user=someone`))).toEqual([day(20)])
    expect(daysOf(await list('&types=role.changed&user=someone'))).toEqual([day(15), day(5)])
    expect(await list(`${address}&types=role.changed`)).toEqual([])
    expect(daysOf(await list(`${address}&before=${found[1]?.id}`))).toEqual([day(12), day(8), day(4)])
  })

  test('refuses an unknown type, and another log than its own', async () => {
    const [status, message] = await admin.api.refusal('GET', '/activity?security=1&types=sign-in.fail')

    expect([status, message]).toEqual([400, expect.stringContaining('not "sign-in.fail"')])
    expect((await exported('types=role.changed,none')).status).toBe(400)
    expect((await admin.api.refusal('GET', '/activity?security=true'))[0]).toBe(400)
  })

  test('refuses a time that does not exist', async () => {
    expect((await admin.api.refusal('GET', '/activity?security=1&after=2026-02-31'))[0]).toBe(400)
    expect((await exported('until=2026-02-31')).status).toBe(400)
  })

  test('says what a time must be', async () => {
    expect(await admin.api.refusal('GET', '/activity?security=1&after=yesterday')).toEqual([
      400,
      '"after" must be a date or a time with its zone: only what happened then or later',
    ])
  })

  test('is exported as CSV that no spreadsheet runs', async () => {
    const response = await exported(`${UNTIL}&after=${day(19)}`)

    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('security-log-2026-03-01.csv')
    const grace = 'grace@example.com'
    expect((await response.text()).split('\r\n')).toEqual([
      'time,type,account,account_id,changed_by,address,user_agent,detail',
      `${day(20)}T12:00:00.000Z,sign-in.failed,${grace},someone,,203.0.113.0,"'=HYPERLINK(""http://evil.test"",""a"")",`,
      `${day(19)}T12:00:00.000Z,role.changed,${grace},other,,203.0.113.3,curl/8.5.0,"a, ""b"""`,
      '',
    ])
    expect(await linesOf(`${UNTIL}&types=role.changed&user=someone`)).toHaveLength(4)
  })

  test('is exported with more entries than a page has', async () => {
    using database = openDatabase(holdfast)
    const began = Date.parse('2026-01-05T12:00:00Z')
    for (let n = 0; n < 450; n += 1)
      database.run(
        `INSERT INTO security_events (id, type, ip_address, user_agent, created_at)
         VALUES (?, 'sign-out', 'many', ?, ?)`,
        [Bun.randomUUIDv7(), `agent ${n}`, began + (n >> 2)],
      )

    const lines = await linesOf('address=many')

    expect(new Set(lines).size).toBe(452)
    expect(await linesOf('types=sign-out&until=2026-01-06')).toEqual(lines)
  })
})

test.each([
  ['plain', 'plain'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['a=1', 'a=1'],
  ['two\nlines', '"two\nlines"'],
  ['a "b"', '"a ""b"""'],
])('the field of %j is %j', (value, written) => {
  expect(field(value)).toBe(written)
})
