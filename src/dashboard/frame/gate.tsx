import { useLocation } from '@tanstack/react-router'
import { useSession, useSetup } from '../api/session.ts'
import { lazyComponent } from '../components/lazy.tsx'
import { Failure } from '../components/notice.tsx'
import { Notices } from './notices.tsx'
import { BareShell, Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { Waiting } from './way-in.tsx'

// Once in the life of an instance, so not part of every first visit.
const Register = lazyComponent(() => import('./register.tsx'))

const Invitation = lazyComponent(() => import('./invitation.tsx'), { isQuiet: true })

/**
 * Frame for signed-in accounts. Others see the sign-in form at the same address, so that they arrive there
 * afterwards.
 */
export function Gate() {
  const { pathname } = useLocation()
  return (
    <>
      <Notices />
      {pathname === '/invite' ? <Invitation /> : <Entrance />}
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
  return <Waiting />
}
