import { useMutation } from '@tanstack/react-query'
import {
  Ban,
  CircleCheck,
  Ellipsis,
  FolderLock,
  HardDrive,
  KeyRound,
  ShieldOff,
  Trash2,
  UserCog,
} from 'lucide-react'
import { type AccountUsage, changeUser, type Invitation, type User, useUsage } from '../../api/accounts.ts'
import { useMe } from '../../api/session.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { FolderKey } from '../../components/folder-key.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Badge, RowName, Table, Time } from '../../components/table.tsx'
import { formatNumber } from '../../language.ts'
import { formatBytes } from '../../lib/format.ts'
import { describeRights } from '../../lib/levels.ts'
import { describeScopes } from '../../lib/scopes.ts'
import { rightsTexts } from '../../texts/rights.ts'
import { roleTexts } from '../../texts/scopes.ts'
import { userTexts } from '../../texts/users.ts'

interface UserTableProps {
  users: readonly User[]
  onChange: (overlay: Overlay) => void
}

export function UserTable({ users, onChange }: UserTableProps) {
  const { user: me } = useMe()
  const { columns } = userTexts
  const { data: usage } = useUsage()
  const usageOf = (id: string) => usage?.find((account) => account.id === id)
  return (
    <Table
      label={userTexts.list}
      rows={users}
      columns={[
        { name: columns.name, cell: (user) => <Name user={user} isMe={user.id === me.id} /> },
        { name: columns.role, cell: (user) => <RoleName {...user} /> },
        { name: columns.folders, cell: (user) => <Folders folders={user.folders} /> },
        {
          name: columns.storage,
          cell: ({ id }) => {
            const storage = usageOf(id)
            return storage && <StorageOf storage={storage} />
          },
          isNumber: true,
        },
        { name: columns.keys, cell: ({ apiKeys }) => formatNumber(apiKeys), isNumber: true },
        {
          name: columns.seen,
          cell: ({ id }) => {
            const seen = usageOf(id)
            if (!seen) return ''
            return seen.lastSeenAt === null ? userTexts.neverSeen : <Time at={seen.lastSeenAt} />
          },
        },
        { name: columns.added, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
      actionsName={userTexts.actions}
      // Admins cannot change their own role, password or status, so one admin always remains.
      actions={(user) =>
        user.id === me.id ? (
          <Menu trigger={<IconButton icon={Ellipsis} label={userTexts.actionsOf(user.name)} />}>
            <QuotaItem onSelect={() => onChange({ is: 'quota', user })} />
          </Menu>
        ) : (
          <UserMenu user={user} onChange={onChange} />
        )
      }
    />
  )
}

const Name = ({ user, isMe }: { user: User; isMe: boolean }) => (
  <RowName note={user.email}>
    {user.name} {isMe && <Badge look="good">{userTexts.you}</Badge>}
    {user.disabled && <Badge look="danger">{userTexts.disabled}</Badge>}{' '}
    {user.secondFactor && <Badge>{userTexts.twoStep}</Badge>}
  </RowName>
)

const StorageOf = ({ storage: { usedBytes, quota } }: { storage: AccountUsage }) => (
  <span className="user-role stack gap-0">
    {formatBytes(usedBytes)}
    {quota !== null && (
      <small>
        {userTexts.ofQuota(formatBytes(quota))}{' '}
        {usedBytes >= quota && <Badge look="danger">{userTexts.full}</Badge>}
      </small>
    )}
  </span>
)

export const RoleName = ({ role, customScopes }: Pick<User, 'role' | 'customScopes'>) => (
  <span className="user-role stack gap-0">
    {roleTexts[role].label}
    {role === 'custom' && <small>{describeScopes(customScopes)}</small>}
  </span>
)

interface FoldersProps extends Pick<User, 'folders'> {
  /** True to name the level in each. */
  hasLevels?: boolean
}

/** Folders that an account is limited to. */
export function Folders({ folders, hasLevels = false }: FoldersProps) {
  if (!folders) return <span className="soft">{userTexts.everything}</span>
  if (folders.length === 0) return <span className="soft">{userTexts.noFolders}</span>
  return (
    <ul className="user-folders stack gap-1 anywhere">
      {folders.map(({ folderId, key, name, rights, byGroups }) => (
        <li key={folderId} title={hasLevels ? undefined : describeRights(rights)}>
          {key === null ? userTexts.inTrash(name) : <FolderKey of={key} />}
          {hasLevels && <small>{describeRights(rights)}</small>}
          {byGroups && <small>{rightsTexts.byGroups}</small>}
        </li>
      ))}
    </ul>
  )
}

const QuotaItem = ({ onSelect }: { onSelect: () => void }) => (
  <MenuItem icon={HardDrive} onSelect={onSelect}>
    {userTexts.changeQuota}
  </MenuItem>
)

function UserMenu({ user, onChange }: { user: User; onChange: (overlay: Overlay) => void }) {
  const enable = useMutation({
    mutationFn: () => changeUser(user.id, { disabled: false }),
    onSuccess: () => toast.done(userTexts.enabledNow(user.name)),
  })
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={userTexts.actionsOf(user.name)} />}>
      <MenuItem icon={UserCog} onSelect={() => onChange({ is: 'role', user })}>
        {userTexts.changeRole}
      </MenuItem>
      {!user.scopes.includes('settings:manage') && (
        <MenuItem icon={FolderLock} onSelect={() => onChange({ is: 'folders', user })}>
          {userTexts.changeFolders}
        </MenuItem>
      )}
      <MenuItem icon={KeyRound} onSelect={() => onChange({ is: 'password', user })}>
        {userTexts.resetPassword}
      </MenuItem>
      {user.secondFactor && (
        <MenuItem icon={ShieldOff} onSelect={() => onChange({ is: 'factor', user })}>
          {userTexts.resetTwoStep}
        </MenuItem>
      )}
      <QuotaItem onSelect={() => onChange({ is: 'quota', user })} />
      <MenuSeparator />
      {user.disabled ? (
        <MenuItem icon={CircleCheck} onSelect={() => enable.mutate()}>
          {userTexts.enable}
        </MenuItem>
      ) : (
        <MenuItem icon={Ban} onSelect={() => onChange({ is: 'disable', user })}>
          {userTexts.disable}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} isDanger onSelect={() => onChange({ is: 'delete', user })}>
        {userTexts.delete}
      </MenuItem>
    </Menu>
  )
}

/** Dialog above the list. */
export type Overlay =
  | { is: 'add' | 'invite' }
  | { is: 'revoke'; invitation: Invitation }
  | { is: 'role' | 'folders' | 'password' | 'quota' | 'factor' | 'disable' | 'delete'; user: User }
