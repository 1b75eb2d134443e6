import { CloudOff, TriangleAlert } from 'lucide-react'
import { confirmation } from '../api/client.ts'
import { isReachable } from '../api/query.ts'
import { useIsTrusted, useSession, useSetup } from '../api/session.ts'
import { CopyField } from '../components/fields/copy-field.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { Failure } from '../components/notice.tsx'
import { usePlace } from '../lib/router.tsx'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { BareShell, Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { Waiting } from './way-in.tsx'

// Once in the life of an instance, so not part of every first visit.
const Register = lazyComponent(() => import('./register.tsx'))

const Device = lazyComponent(() => import('./device.tsx'))

const SignInLink = lazyComponent(() => import('./sign-in-link.tsx'))

const Confirmation = lazyComponent(() => import('./confirmation.tsx'), { isQuiet: true })

const Invitation = lazyComponent(() => import('./invitation.tsx'), { isQuiet: true })

/**
 * Frame for signed-in accounts. Others see the sign-in form at the same address, so that they arrive there
 * afterwards.
 */
export function Gate() {
  const { pathname } = usePlace()
  const answer = useStore(confirmation)
  return (
    <>
      <Notices />
      {pathname === '/invite' ? (
        <Invitation />
      ) : pathname === '/sign-in-link' ? (
        <SignInLink />
      ) : (
        <Entrance pathname={pathname} />
      )}
      {answer && <Confirmation onAnswer={answer} />}
    </>
  )
}

function Entrance({ pathname }: { pathname: string }) {
  const session = useSession()
  const isNobody = session.data === null
  const setup = useSetup(isNobody)
  if (session.data) return pathname === '/device' ? <Device /> : <Shell />
  const failed = [session, setup].find(({ error }) => error)
  if (failed) {
    return (
      <BareShell>
        <Failure error={failed.error} onRetry={() => failed.refetch()} />
      </BareShell>
    )
  }
  if (isNobody && setup.data)
    return setup.data.needed ? <Register needsToken={setup.data.tokenRequired === true} /> : <SignIn />
  return <Waiting />
}

/** Banners above every page, about the server as a whole. */
export const Notices = () => (
  <>
    <AddressNotice />
    <OfflineNotice />
  </>
)

/** Banner for a server that refuses changes from this address. It shows the variable to set. */
function AddressNotice() {
  if (useIsTrusted()) return null
  const { title, text, line, elsewhere } = texts.addressNotice
  return (
    <section className="notice-bar row top gap-3 rigid scroll small" aria-label={title}>
      <TriangleAlert aria-hidden className="warning" size={20} />
      <div className="notice-bar-text stack gap-2">
        <strong>{title}</strong>
        <p>{text(location.origin)}</p>
        <CopyField label={line} text={`BASE_URL=${location.origin}`} />
        <p>{elsewhere}</p>
      </div>
    </section>
  )
}

function OfflineNotice() {
  if (useStore(isReachable)) return null
  return (
    <section className="notice-bar row top gap-3 rigid scroll small" role="status">
      <CloudOff aria-hidden className="warning" size={20} />
      <p className="notice-bar-text stack gap-2">{texts.errors.offline}</p>
    </section>
  )
}
