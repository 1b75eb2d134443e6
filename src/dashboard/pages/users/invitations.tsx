import { useId, useState } from 'react'
import {
  createInvitation,
  type Invitation,
  type NewInvitation,
  revokeInvitation,
  useInvitations,
} from '../../api/accounts.ts'
import { EmailField } from '../../components/fields/account-fields.tsx'
import { Button, Done } from '../../components/fields/button.tsx'
import { CopyField } from '../../components/fields/copy-field.tsx'
import { SelectField, TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Failure } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { Badge, RowName, Table, Time } from '../../components/table.tsx'
import { formatCount, formatDistance, formatMoment } from '../../lib/format.ts'
import { linkTo } from '../../lib/paths.ts'
import { invitationTexts } from '../../texts/invitations.ts'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'
import { type FoldersDraft, FoldersField, reachesAll, sentFolders } from './folders.tsx'
import { Folders, type Overlay, RoleName } from './user-table.tsx'

const SECTION = 'invitations'

/** Number of open invitations, which leads to their list: it may be far below. */
export function OpenInvitations() {
  const { data } = useInvitations()
  const open = data?.filter(({ state }) => state === 'open').length ?? 0
  return open > 0 && <a href={`#${SECTION}`}>{formatCount(open, invitationTexts.open)}</a>
}

/** List of invitations, below the accounts. There is none without invitations. */
export function Invitations({ onChange }: { onChange: (overlay: Overlay) => void }) {
  const titleId = useId()
  const { data: invitations, error, refetch } = useInvitations()
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!invitations || invitations.length === 0) return null
  const { columns } = invitationTexts
  return (
    <section id={SECTION} className="invitations stack gap-3" aria-labelledby={titleId}>
      <h2 id={titleId}>{invitationTexts.list}</h2>
      <Table
        label={invitationTexts.list}
        rows={invitations}
        columns={[
          { name: columns.name, cell: (invitation) => <Name invitation={invitation} /> },
          { name: columns.role, cell: (invitation) => <RoleName {...invitation} /> },
          { name: columns.folders, cell: ({ folders }) => <Folders folders={folders} hasLevels /> },
          { name: columns.state, cell: (invitation) => <State invitation={invitation} /> },
          {
            name: columns.expires,
            cell: ({ state, expiresAt }) =>
              state === 'used' ? <span className="soft">–</span> : <Time at={expiresAt} />,
          },
        ]}
        actionsName={invitationTexts.actions}
        actions={(invitation) =>
          invitation.state !== 'used' && (
            <Button
              look="quiet"
              aria-label={wordsOf(invitation).actionOf(nameOf(invitation))}
              onClick={() => onChange({ is: 'revoke', invitation })}
            >
              {wordsOf(invitation).action}
            </Button>
          )
        }
      />
    </section>
  )
}

/** Returns the words for the removal of an invitation, whose link may have expired before. */
const wordsOf = ({ state }: Invitation) =>
  state === 'expired' ? invitationTexts.remove : invitationTexts.revoke

const nameOf = ({ email, note }: Invitation): string => email ?? note ?? invitationTexts.anyone

function Name({ invitation }: { invitation: Invitation }) {
  const { email, note, createdAt, createdBy } = invitation
  const origin = invitationTexts.createdBy(
    formatDistance(createdAt),
    createdBy.name ?? invitationTexts.deletedAccount,
  )
  return (
    <RowName note={email !== null && note !== null ? `${note} · ${origin}` : origin}>
      {nameOf(invitation)}
    </RowName>
  )
}

const LOOKS = { open: 'good', used: 'plain', expired: 'danger', suspended: 'warning' } as const

function State({ invitation: { state, usedBy, createdBy } }: { invitation: Invitation }) {
  const nameIn = (account: Invitation['usedBy']) => account?.name ?? invitationTexts.deletedAccount
  return (
    <span className="invitation-state">
      <Badge look={LOOKS[state]}>{invitationTexts.states[state]}</Badge>
      {state === 'used' && <small>{invitationTexts.usedBy(nameIn(usedBy))}</small>}
      {state === 'suspended' && <small>{invitationTexts.suspended(nameIn(createdBy))}</small>}
    </span>
  )
}

interface RevokeProps {
  invitation: Invitation
  onClose: () => void
}

export function RevokeInvitation({ invitation, onClose }: RevokeProps) {
  const { title, text, action, done } = wordsOf(invitation)
  return (
    <ConfirmChange
      title={title}
      action={action}
      change={() => revokeInvitation(invitation.id)}
      done={done}
      onClose={onClose}
    >
      {text(invitation.email ?? invitation.note ?? invitationTexts.anyoneThere)}
    </ConfirmChange>
  )
}

/** Lifetimes in days. The server accepts 30 at most. */
const LIFETIMES = (['1', '7', '30'] as const).map((value) => ({ value, label: texts.lifetimes[value] }))
const DAY_SECONDS = 86_400

interface InviteProps {
  /** Folders that the form begins with; null for everything. */
  folders?: FoldersDraft
  onClose: () => void
}

/** Dialog that creates an invitation, then shows its link once. */
export function Invite({ folders: start = null, onClose }: InviteProps) {
  const [folders, setFolders] = useState<FoldersDraft>(start)
  const [access, setAccess] = useState<AccessDraft>(() => draftOf('viewer', ['files:read']))
  const [days, setDays] = useState<(typeof LIFETIMES)[number]['value']>('7')
  const create = useFormMutation({ mutationFn: createInvitation })
  if (create.data) return <Made invitation={create.data} onClose={onClose} />
  return (
    <Dialog
      title={invitationTexts.inviteTitle}
      description={invitationTexts.inviteText}
      isKept={create.isPending}
      onClose={onClose}
    >
      <Form
        mutation={create}
        action={invitationTexts.create}
        isComplete={isComplete(access)}
        onSubmit={(form) => {
          const email = String(form.get('email')).trim()
          create.mutate({
            ...accessOf(access),
            ...(!reachesAll(access) && folders && { folders: sentFolders(folders) }),
            ...(email !== '' && { email }),
            note: String(form.get('note')),
            expiresIn: Number(days) * DAY_SECONDS,
          })
        }}
        onClose={onClose}
      >
        <EmailField
          label={invitationTexts.email}
          hint={invitationTexts.emailHint}
          autoComplete="off"
          required={false}
        />
        <TextField
          label={invitationTexts.note}
          hint={invitationTexts.noteHint}
          name="note"
          maxLength={255}
          autoComplete="off"
        />
        <AccessFields access={access} onChange={setAccess} />
        {!reachesAll(access) && <FoldersField folders={folders} onChange={setFolders} />}
        <SelectField label={texts.lifetime} value={days} options={LIFETIMES} onChoose={setDays} />
      </Form>
    </Dialog>
  )
}

const Made = ({ invitation, onClose }: { invitation: NewInvitation; onClose: () => void }) => (
  <Dialog
    title={invitationTexts.madeTitle}
    description={invitationTexts.madeText(formatMoment(invitation.expiresAt))}
    isKept
    onClose={onClose}
  >
    <CopyField label={invitationTexts.link} text={linkTo(invitation)} />
    <Done onClose={onClose} />
  </Dialog>
)
