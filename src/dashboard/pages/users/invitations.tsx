import { useId } from 'react'
import { type Invitation, revokeInvitation, useInvitations } from '../../api/invitations.ts'
import { Button } from '../../components/fields/button.tsx'
import { Failure } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm-change.tsx'
import { Badge, RowName, Table } from '../../components/table.tsx'
import { formatCount } from '../../lib/format.ts'
import { formatDistance } from '../../lib/relative-time.ts'
import { invitationTexts } from '../../texts/invitations.ts'
import type { Overlay } from './overlay.ts'
import { RoleName, Time } from './user-table.tsx'

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
    <section id={SECTION} className="invitations" aria-labelledby={titleId}>
      <h2 id={titleId}>{invitationTexts.list}</h2>
      <Table
        label={invitationTexts.list}
        rows={invitations}
        columns={[
          { name: columns.name, cell: (invitation) => <Name invitation={invitation} /> },
          { name: columns.role, cell: (invitation) => <RoleName {...invitation} /> },
          { name: columns.state, cell: (invitation) => <State invitation={invitation} /> },
          {
            name: columns.expires,
            cell: ({ state, expiresAt }) =>
              state === 'used' ? <span className="is-soft">–</span> : <Time time={expiresAt} />,
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
