import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { HoldfastError } from '../../client/index.ts'
import { maySuggest, signInByPasskey, whyNoPasskeys } from '../api/passkeys.ts'
import { Button } from '../components/fields/button.tsx'
import { useFormMutation } from '../components/fields/form.tsx'
import { FormError } from '../components/notice.tsx'
import { passkeyTexts } from '../texts/passkeys.ts'

/** Time after which the browser gets a new challenge to suggest passkeys for, in milliseconds: one lives five minutes. */
const SUGGESTION_MS = 240_000

interface PasskeySignInProps {
  /** Returns true if the session outlives the browser. */
  isRemembered: () => boolean
}

/** Signs in by a passkey, which the browser suggests in the e-mail field, or by a button. */
export default function PasskeySignIn({ isRemembered }: PasskeySignInProps) {
  const [error, setError] = useState<unknown>(null)
  const enter = useFormMutation({ mutationFn: () => signInByPasskey({ isRemembered }) })
  const isPossible = whyNoPasskeys() === undefined
  const { isPending } = enter
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser shows one dialog at a time, and the form is the same
  useEffect(() => {
    if (!isPossible || isPending) return
    const leaving = new AbortController()
    void suggest(isRemembered, leaving.signal, setError)
    return () => leaving.abort()
  }, [isPossible, isPending])
  if (!isPossible) return null
  return (
    <>
      <Button
        icon={KeyRound}
        isBusy={isPending}
        onClick={() => {
          setError(null)
          enter.mutate()
        }}
      >
        {passkeyTexts.signIn}
      </Button>
      <FormError error={enter.error ?? error} />
    </>
  )
}

/** Lets the browser suggest passkeys in the form until the page leaves it. */
async function suggest(
  isRemembered: () => boolean,
  leaving: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  if (!(await maySuggest())) return
  while (!leaving.aborted) {
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(SUGGESTION_MS)])
    try {
      const isIn = await signInByPasskey({ isRemembered, mediation: 'conditional', signal })
      // The browser may have refused to suggest any.
      if (isIn || !signal.aborted) return
    } catch (error) {
      if (leaving.aborted) return
      onError(error)
      // Without the server, there is nothing to suggest.
      if (!(error instanceof HoldfastError) || error.status !== 400) return
    }
  }
}
