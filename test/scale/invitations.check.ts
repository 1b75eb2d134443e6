import { expect, test } from 'bun:test'
import type { NewInvitation } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { type Inside, postJson } from '../support/holdfast.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const accept = (node: Inside, token: string, email: string) =>
  postJson(node, '/api/invitations/accept', { token, name: 'Grace', email, password: 'a long passphrase' })

const inTurns = <Value>(count: number, work: (at: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

test('two servers make one account of an invitation, whichever is asked', async () => {
  const { one, two, account } = pair
  const api = apiOf(one, { withKey: { Cookie: account.cookie } })
  const invite = async (fields: object = {}) =>
    (await api.data<{ invitation: NewInvitation }>('POST', '/invitations', { role: 'viewer', ...fields }))
      .invitation
  const emails = async () =>
    (await api.data<{ users: { email: string }[] }>('GET', '/users')).users.map(({ email }) => email)

  for (let round = 0; round < 5; round += 1) {
    const { token } = await invite()
    // Refused attempts of a round may count after the success that clears the limit of 10: five and five stay within it.
    const raced = await inTurns(5, (at) =>
      accept(at % 2 === 0 ? one : two, token, `r${round}n${at}@example.com`),
    )
    const statuses = raced.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 404, 404, 404, 404])
  }
  expect((await emails()).filter((email) => /^r\dn/.test(email))).toHaveLength(5)

  const same = [await invite({ email: 'same@example.com' }), await invite({ email: 'same@example.com' })]
  const raced = await inTurns(2, (at) =>
    accept([one, two][at] ?? one, same[at]?.token ?? '', 'same@example.com'),
  )
  expect(raced.map(({ status }) => status).toSorted()).toEqual([200, 400])

  const { id, token } = await invite()
  await api.data('DELETE', '/invitations', { id })
  expect((await accept(two, token, 'revoked@example.com')).status).toBe(404)
})
