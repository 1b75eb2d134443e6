import { describe, expect, test } from 'bun:test'
import type { NewInvitation as Invited } from '../../src/client/types.ts'
import { bySession } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, cookieOf, postJson } from '../support/holdfast.ts'
import { EDITING, type Granted, type Right } from './limited.ts'

const holdfast = withInside()
const { api, bySession: admin } = holdfast

const invite = async (folders: Record<string, readonly Right[]>) => {
  const named = Object.entries(folders).map(([folder, rights]) => ({ folder, rights }))
  const fields = { role: 'editor', folders: named }
  return (await admin.data<{ invitation: Invited }>('POST', '/invitations', fields)).invitation
}
const listed = async (id: string) =>
  (await admin.data<{ invitations: Invited[] }>('GET', '/invitations')).invitations.find(
    (invitation) => invitation.id === id,
  )
const open = async (token: string) =>
  (
    (await (await postJson(holdfast, '/api/invitations/open', { token })).json()) as {
      data: { invitation: { folders: { name: string; rights: Right[] }[] | null } }
    }
  ).data.invitation

let guests = 0
/** Accepts an invitation. Returns the account's API client and id. */
async function accept(token: string) {
  guests += 1
  const fields = { name: 'Maria', email: `invited${guests}@example.com`, password: ADMIN.password }
  const response = await postJson(holdfast, '/api/invitations/accept', { token, ...fields })
  const { data } = (await response.json()) as { data: { user: { id: string } } }
  return { id: data.user.id, api: bySession(holdfast, cookieOf(response)) }
}
const keysOf = async (guest: Awaited<ReturnType<typeof accept>>) =>
  (await guest.api.browse()).folders.map(({ key }) => key)

describe('an invitation with folders', () => {
  test('limits the account to them, and names them to the invited person', async () => {
    const { id, token, folders } = await invite({ 'clients/acme': EDITING, family: ['read'] })

    expect(folders?.map(({ key, rights }) => [key, rights])).toEqual([
      ['clients/acme', EDITING],
      ['family', ['read']],
    ])
    expect((await listed(id))?.folders).toEqual(folders)
    expect((await open(token)).folders).toEqual([
      { name: 'acme', rights: EDITING },
      { name: 'family', rights: ['read'] },
    ])
    const guest = await accept(token)
    expect(await keysOf(guest)).toEqual(['clients/acme', 'family'])
    expect((await guest.api.data<{ folders: Granted[] }>('GET', '/me')).folders).toEqual(folders ?? [])

    const { activities } = await admin.data<{ activities: { type: string; detail: string }[] }>(
      'GET',
      '/activity?security=1&types=invitation.created,invitation.used',
    )
    const words = 'as editor, only clients/acme: read, write, delete; family: read'
    expect(activities.map(({ type, detail }) => [type, detail])).toEqual([
      ['invitation.used', `${words}, invited by ${ADMIN.email}`],
      ['invitation.created', words],
    ])
  })

  test('gives what still exists when it is accepted, where it is then', async () => {
    const { id, token } = await invite({ gone: ['read'], moved: ['read'], trashed: ['read'] })
    const at = Object.fromEntries((await api.browse()).folders.map(({ id, key }) => [key, id]))
    await api.data('DELETE', '/folders', { id: at['gone'] })
    await api.data('PUT', '/folders', { id: at['moved'], name: 'moved away' })
    await holdfast.trash.put({ folderIds: [at['trashed'] ?? ''] })

    expect((await listed(id))?.folders?.map(({ key, name }) => [key, name])).toEqual([
      ['moved away', 'moved away'],
      [null, 'trashed'],
    ])
    const guest = await accept(token)
    expect(await keysOf(guest)).toEqual(['moved away'])
    await holdfast.trash.restore(at['trashed'] ?? '')
    expect(await keysOf(guest)).toEqual(['moved away', 'trashed'])
  })

  test('limits the account also when none of them is left', async () => {
    const { token } = await invite({ 'short-lived': ['read'] })
    const { folders } = await api.browse({ key: '' })
    await api.data('DELETE', '/folders', { id: folders.find(({ key }) => key === 'short-lived')?.id })

    expect(await keysOf(await accept(token))).toEqual([])
  })

  test.each([
    [{ role: 'admin', folders: [{ folder: 'x', rights: ['read'] }] }, 400],
    [{ role: 'editor', folders: [{ folder: 'x', rights: [] }] }, 400],
    [
      { role: 'editor', folders: [{ folderId: '019a2f3b-0000-7000-8000-000000000001', rights: ['read'] }] },
      404,
    ],
    [{ role: 'editor', email: ADMIN.email, folders: [{ folder: 'x', rights: ['read'] }] }, 400],
  ])('is refused as %j', async (fields, status) => {
    expect((await admin.refusal('POST', '/invitations', fields))[0]).toBe(status)
    expect((await api.refusal('GET', '/folders?key=x'))[0]).toBe(404)
  })
})
