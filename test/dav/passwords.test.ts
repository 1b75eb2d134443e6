import { expect, test } from 'bun:test'
import { addAccount, addUser, openDatabase, setDisabled } from '../support/accounts.ts'
import { basic, problemOf } from '../support/dav.ts'
import { startWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, type Holdfast, TestClock } from '../support/holdfast.ts'

const clock = new TestClock()
const holdfast = withInside({ clock, isAlone: true })

const ask = (name: string, password: string = ADMIN.password, to: Pick<Holdfast, 'fetch'> = holdfast) =>
  to.fetch('/dav/', { method: 'PROPFIND', headers: { Depth: '0', ...basic(password, name) } })
/** Returns the status and the message of a refusal. */
const refusalOf = async (response: Response) => {
  const { status, message } = await problemOf(response)
  return [status, message]
}
const status = async (...sent: Parameters<typeof ask>) => (await ask(...sent)).status

test('an account gets in by its e-mail and password, which are verified once in ten minutes', async () => {
  const { id, email } = await addAccount(holdfast, { role: 'viewer' })
  const before = holdfast.securityLines.length

  for (let count = 0; count < 3; count += 1) expect(await status(email)).toBe(207)
  clock.advance(600_001)
  expect(await status(email)).toBe(207)

  const lines = holdfast.securityLines.slice(before)
  expect(lines.map(({ fields }) => fields?.['account'])).toEqual([id])
})

test('a wrong password is asked for again, and counts', async () => {
  const { email } = await addAccount(holdfast, { role: 'viewer' })
  expect(await refusalOf(await ask(email, 'a wrong one'))).toEqual([401, 'Invalid email or password'])
  for (let count = 0; count < 9; count += 1) expect(await status(email, 'a wrong one')).toBe(401)
  expect(await status(email, 'a wrong one')).toBe(429)
  expect(await status(email)).toBe(429)
})

test('as many passwords are verified for an address as by the API', async () => {
  await using limited = await startWithAccount({ environment: { RATE_LIMIT_API: '40' } })
  expect(await status(ADMIN.email, ADMIN.password, limited)).toBe(207)
  for (let count = 0; count < 39; count += 1)
    expect(await status(`other-${count}@example.com`, 'a wrong one', limited)).toBe(401)
  expect(await status('another@example.com', 'a wrong one', limited)).toBe(429)
  expect(await status(ADMIN.email, ADMIN.password, limited)).toBe(207)
})

test('a cached password ends with a new one, and with its account', async () => {
  const user = await addUser(holdfast, { role: 'viewer' })
  expect(await status(user.email)).toBe(207)
  const changed = { currentPassword: ADMIN.password, newPassword: 'another horse battery' }
  await user.api.data('PUT', '/me/password', changed)
  expect(await status(user.email)).toBe(401)
  expect(await status(user.email, changed.newPassword)).toBe(207)
  setDisabled(holdfast, user.id, true)
  expect(await refusalOf(await ask(user.email, changed.newPassword))).toEqual([
    401,
    'This account is disabled',
  ])
})

test('an account with a second factor needs an API key', async () => {
  const { id, email } = await addAccount(holdfast, { role: 'viewer' })
  expect(await status(email)).toBe(207)
  using database = openDatabase(holdfast)
  database.run('UPDATE users SET second_factor = 1 WHERE id = ?', [id])
  const [code, message] = await refusalOf(await ask(email))
  expect([code, message]).toEqual([
    401,
    'This account has a second factor: use an API key in place of the password',
  ])
})

test('settings that ask for more than a password hold', async () => {
  await using strict = await startWithAccount({
    environment: { PASSWORD_SIGN_IN: 'admins' },
  })
  const { email } = await addAccount(strict, { role: 'editor' })
  expect(await status(email, ADMIN.password, strict)).toBe(403)
  expect(await status(ADMIN.email, ADMIN.password, strict)).toBe(207)
  await strict.bySession.data('PUT', '/settings', { requireSecondFactor: 'admins' })
  expect(await refusalOf(await ask(ADMIN.email, ADMIN.password, strict))).toEqual([
    403,
    'This account must have a second factor: add one under Account',
  ])
})
