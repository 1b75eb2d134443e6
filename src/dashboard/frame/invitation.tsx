import { Folder } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { OpenInvitation, Right } from '../../client/index.ts'
import { acceptInvitation, useOpenInvitation } from '../api/accounts.ts'
import { hasStatus } from '../api/client.ts'
import { useIsTrusted, useSession, useSignOut } from '../api/session.ts'
import { EmailField, NameField, NewPasswordField } from '../components/fields/account-fields.tsx'
import { Button } from '../components/fields/button.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { Failure } from '../components/notice.tsx'
import { formatMoment, withMarks } from '../lib/format.ts'
import { describeRights } from '../lib/levels.ts'
import { navigate, usePlace } from '../lib/router.tsx'
import { sayScopes } from '../lib/scopes.ts'
import { invitationTexts } from '../texts/invitations.ts'
import { BareShell } from './shell.tsx'
import { Waiting, WayIn } from './way-in.tsx'

/** Page that the link of an invitation opens. Its token is the fragment of the address. */
export default function InvitationPage() {
  const { hash: token } = usePlace()
  const session = useSession()
  const { data: invitation, error, refetch } = useOpenInvitation(token)
  if (session.isPending) return <Waiting />
  if (hasStatus(error, 404)) return session.data ? <NotNeeded email={session.data.user.email} /> : <Closed />
  if (error) {
    return (
      <BareShell>
        <Failure error={error} onRetry={refetch} />
      </BareShell>
    )
  }
  if (!invitation) return <Waiting />
  if (session.data) return <SignedIn email={session.data.user.email} />
  return <Accept key={token} token={token} invitation={invitation} />
}

function Accept({ token, invitation }: { token: string; invitation: OpenInvitation }) {
  const { invitedBy, email, expiresAt } = invitation
  const isTrusted = useIsTrusted()
  const accept = useFormMutation({ mutationFn: acceptInvitation })
  return (
    <WayIn
      title={invitationTexts.title(location.host)}
      lead={invitationTexts.lead(invitedBy, formatMoment(expiresAt))}
      footer={<Leave>{invitationTexts.haveAccount}</Leave>}
    >
      <div className="stack gap-2 soft">
        {invitation.folders ? (
          <InvitedTo folders={invitation.folders} scopes={invitation.scopes} />
        ) : (
          <p>{abilityOf(invitation)}</p>
        )}
      </div>
      <Form
        mutation={accept}
        action={invitationTexts.accept}
        isComplete={isTrusted}
        onSubmit={(form) =>
          accept.mutate({
            token,
            name: String(form.get('name')),
            email: String(form.get('email')),
            password: String(form.get('newPassword')),
          })
        }
      >
        <NameField />
        {email === null ? (
          <EmailField hint={invitationTexts.freeEmail} />
        ) : (
          <EmailField hint={invitationTexts.fixedEmail} value={email} readOnly />
        )}
        <NewPasswordField />
      </Form>
    </WayIn>
  )
}

const abilityOf = ({ role, scopes }: OpenInvitation): string =>
  role === 'custom' ? invitationTexts.canOf(sayScopes(scopes)) : invitationTexts.can[role]

/** Scope that each right needs. The role of the account is the ceiling of its rights. */
const SCOPE_OF = {
  read: 'files:read',
  write: 'files:write',
  delete: 'files:delete',
  share: 'files:read',
} as const

interface InvitedToProps {
  folders: NonNullable<OpenInvitation['folders']>
  scopes: readonly string[]
}

/** Folders that the account will reach, with what it may do in each. */
function InvitedTo({ folders, scopes }: InvitedToProps) {
  if (folders.length === 0) return <p>{invitationTexts.noFolders}</p>
  const allowed = (rights: readonly Right[]) => rights.filter((right) => scopes.includes(SCOPE_OF[right]))
  return (
    <>
      <p>{invitationTexts.folders}</p>
      <ul className="stack gap-2 anywhere">
        {folders.map(({ name, rights }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two folders may have one name
          <li key={index} className="row top">
            <Folder aria-hidden className="accent rigid" size={18} />
            <span className="grow stack gap-0">
              <strong className="medium">{withMarks(name)}</strong>
              <small>{describeRights(allowed(rights))}</small>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const Closed = () => (
  <WayIn title={invitationTexts.closedTitle} lead={invitationTexts.closedText}>
    <Leave look="plain">{invitationTexts.signIn}</Leave>
  </WayIn>
)

/** Page of an invitation that is over, for an account that is signed in. */
const NotNeeded = ({ email }: { email: string }) => (
  <WayIn title={invitationTexts.signedInTitle} lead={invitationTexts.notNeeded(email)}>
    <Leave look="primary">{invitationTexts.toFiles}</Leave>
  </WayIn>
)

function SignedIn({ email }: { email: string }) {
  const leave = useSignOut()
  return (
    <WayIn title={invitationTexts.signedInTitle} lead={invitationTexts.signedInText(email)}>
      <Button look="primary" isBusy={leave.isPending} onClick={() => leave.mutate()}>
        {invitationTexts.signOut}
      </Button>
      <Leave look="plain">{invitationTexts.stay}</Leave>
    </WayIn>
  )
}

/** Button to the first page, or to sign-in. The link is not among the pages to go back to. */
function Leave({ look = 'quiet', children }: Pick<ComponentProps<typeof Button>, 'look' | 'children'>) {
  return (
    <Button look={look} onClick={() => navigate({ to: '/', replace: true })}>
      {children}
    </Button>
  )
}
