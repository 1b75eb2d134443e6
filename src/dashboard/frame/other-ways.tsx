import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { HoldfastError, type SignInMethods } from '../../client/index.ts'
import { client } from '../api/client.ts'
import { enter, SIGNED_OUT, SIGNED_OUT_AT, useSignInMethods } from '../api/session.ts'
import { Button } from '../components/fields/button.tsx'
import { FormError } from '../components/notice.tsx'
import { useSearch } from '../lib/router.tsx'
import { sayFailure } from '../lib/sign-in-failure.ts'
import { providerTexts } from '../texts/providers.ts'

/** Buttons of the providers, and what went wrong at one. */
export default function OtherWays() {
  const { data: methods } = useSignInMethods()
  const asked = useSearch()
  const begin = useMutation({
    mutationFn: (provider: SignInMethods['providers'][number]['id']) =>
      client.auth.signInWith({ provider, callbackURL: targetOf(asked) }),
    onSuccess: ({ url }) => location.assign(url),
  })
  const { mutate } = begin
  // A page of another origin leads here, because the provider leads back to this address.
  const wanted = methods?.providers.find(({ id }) => id === asked['with'])?.id
  useEffect(() => {
    if (wanted !== undefined) mutate(wanted)
  }, [wanted, mutate])
  if (!methods) return null
  const [first] = methods.providers
  // The form has the primary button of the page.
  const look = methods.password ? 'plain' : 'primary'
  const failure = sayFailure(asked['error'], first?.name ?? providerTexts.provider)
  return (
    <>
      {!methods.password && <i hidden className="no-password" />}
      {methods.forwarded && <Forwarded look={look} />}
      <FormError error={failure && new HoldfastError(failure, { status: 400 })} />
      {first && methods.password && <p className="note stack in-middle">{providerTexts.or}</p>}
      {methods.providers.map(({ id, name }) => (
        <Button key={id} look={look} isBusy={begin.isPending || begin.isSuccess} onClick={() => mutate(id)}>
          {providerTexts.with(name)}
        </Button>
      ))}
      <FormError error={begin.error} />
      {first && <SignOutToo name={first.name} />}
    </>
  )
}

/**
 * Sign-in as the person that a proxy names. It begins by itself, except after a sign-out, which it would undo. A request that
 * names no person leaves the other ways.
 */
function Forwarded({ look }: { look: 'plain' | 'primary' }) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: async () => {
      await client.auth.signInForwarded()
      sessionStorage.removeItem(SIGNED_OUT)
      await enter()
    },
    meta: { isShownInPlace: () => true },
  })
  useEffect(() => {
    if (sessionStorage.getItem(SIGNED_OUT) === null) mutate()
  }, [mutate])
  const isNamed = !(error instanceof HoldfastError && error.code === 'not-forwarded')
  return (
    <>
      {isNamed && (
        <Button look={look} isBusy={isPending || data !== undefined} onClick={() => mutate()}>
          {providerTexts.forwarded}
        </Button>
      )}
      {isNamed && <FormError error={error} />}
    </>
  )
}

/** Returns the path to lead to after the sign-in: that of this page, unless it is the sign-in page itself. */
function targetOf({ callbackURL }: Record<string, string | undefined>): string {
  if (location.pathname !== '/sign-in') return location.pathname + location.search
  return callbackURL ?? '/'
}

/** Link to the sign-out of the provider, after a sign-out here. */
function SignOutToo({ name }: { name: string }) {
  const address = sessionStorage.getItem(SIGNED_OUT_AT)
  return address === null ? null : (
    <a href={address} onClick={() => sessionStorage.removeItem(SIGNED_OUT_AT)}>
      {providerTexts.signOutToo(name)}
    </a>
  )
}
