import { Link2, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { matches } from '../../../platform/fold.ts'
import { type User, useUsers } from '../../api/accounts.ts'
import { Button } from '../../components/fields/button.tsx'
import { SearchField } from '../../components/fields/field.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { invitationTexts } from '../../texts/invitations.ts'
import { userTexts } from '../../texts/users.ts'
import { texts } from '../../texts.ts'
import { AddUser, ResetPassword } from './accounts.tsx'
import { ChangeQuota, ChangeRole, DeleteUser, DisableUser, ResetTwoStep } from './changes.tsx'
import { ChangeFolders } from './folders.tsx'
import { Invitations, Invite, OpenInvitations, RevokeInvitation } from './invitations.tsx'
import { type Overlay, UserTable } from './user-table.tsx'

/** Number of accounts from which there is a search field. */
const SEARCHED_FROM = 8

/** Page of the instance's accounts, for admins. */
export default function UsersPage() {
  const [overlay, setOverlay] = useState<Overlay>()
  const [search, setSearch] = useState('')
  const { data: users, error, refetch } = useUsers()
  return (
    <Page
      title={texts.pages.users}
      actions={
        <>
          <Button icon={UserPlus} onClick={() => setOverlay({ is: 'add' })}>
            {userTexts.add}
          </Button>
          <Button look="primary" icon={Link2} onClick={() => setOverlay({ is: 'invite' })}>
            {invitationTexts.invite}
          </Button>
        </>
      }
    >
      <p className="page-lead">
        {userTexts.lead} <OpenInvitations />
      </p>
      {error && <Failure error={error} onRetry={refetch} />}
      {!users && !error && <Loading />}
      {users && (users.length >= SEARCHED_FROM || search !== '') && (
        <search className="toolbar row">
          <SearchField label={userTexts.search} value={search} onChange={setSearch} />
        </search>
      )}
      {users && <FoundUsers users={users} search={search} onChange={setOverlay} />}
      <Invitations onChange={setOverlay} />
      <Overlays overlay={overlay} onClose={() => setOverlay(undefined)} />
    </Page>
  )
}

interface FoundUsersProps {
  users: readonly User[]
  search: string
  onChange: (overlay: Overlay) => void
}

function FoundUsers({ users, search, onChange }: FoundUsersProps) {
  const found = users.filter(({ name, email }) => matches(`${name}\n${email}`, search.trim()))
  if (found.length === 0) return <p role="status">{userTexts.noMatch}</p>
  return <UserTable users={found} onChange={onChange} />
}

function Overlays({ overlay, onClose }: { overlay: Overlay | undefined; onClose: () => void }) {
  switch (overlay?.is) {
    case undefined:
      return null
    case 'add':
      return <AddUser onClose={onClose} />
    case 'invite':
      return <Invite onClose={onClose} />
    case 'revoke':
      return <RevokeInvitation invitation={overlay.invitation} onClose={onClose} />
    case 'role':
      return <ChangeRole user={overlay.user} onClose={onClose} />
    case 'folders':
      return <ChangeFolders user={overlay.user} onClose={onClose} />
    case 'password':
      return <ResetPassword user={overlay.user} onClose={onClose} />
    case 'quota':
      return <ChangeQuota user={overlay.user} onClose={onClose} />
    case 'factor':
      return <ResetTwoStep user={overlay.user} onClose={onClose} />
    case 'disable':
      return <DisableUser user={overlay.user} onClose={onClose} />
    case 'delete':
      return <DeleteUser user={overlay.user} onClose={onClose} />
  }
}
