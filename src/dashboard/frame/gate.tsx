import { useSession, useSetup } from '../api/session.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { Logo } from '../components/logo.tsx'
import { Failure } from '../components/notice.tsx'
import { texts } from '../texts.ts'
import { Notices } from './notices.tsx'
import { BareShell, Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

// Once in the life of an instance, so not part of every first visit.
const Register = lazyComponent(() => import('./register.tsx'))

/**
 * Frame for signed-in accounts. Others see the sign-in form at the same address, so that they arrive there
 * afterwards.
 */
export function Gate() {
  return (
    <>
      <Notices />
      <Entrance />
    </>
  )
}

function Entrance() {
  const session = useSession()
  const isNobody = session.data === null
  const setup = useSetup(isNobody)
  if (session.data) return <Shell />
  const failed = [session, setup].find(({ error }) => error)
  if (failed) {
    return (
      <BareShell>
        <Failure error={failed.error} onRetry={() => failed.refetch()} />
      </BareShell>
    )
  }
  if (isNobody && setup.data)
    return setup.data.needed ? <Register needsToken={setup.data.tokenRequired} /> : <SignIn />
  return (
    <div className="way-in is-waiting" role="status">
      <Logo />
      <span className="visually-hidden">{texts.loading}</span>
    </div>
  )
}
