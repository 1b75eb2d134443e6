import { useSession, useSetup } from '../api/session.ts'
import { Failure, Loading } from '../components/notice.tsx'
import { Notices } from './notices.tsx'
import { Register } from './register.tsx'
import { BareShell, Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

/**
 * Lets in who is signed in. All others get the way in at the same address, so that after signing in they are
 * where they wanted to be.
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
  return <Loading />
}
