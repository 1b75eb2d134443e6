import { useMutation, useQuery } from '@tanstack/react-query'
import { HoldfastError, type SignInMethods } from '../../../../client/index.ts'
import { client } from '../../../api/client.ts'
import { linkProvider, unlinkProvider, useWaysIn } from '../../../api/ways-in.ts'
import { Button } from '../../../components/fields/button.tsx'
import { FormError } from '../../../components/notice.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { Section } from '../../../components/section.tsx'
import { useSearch } from '../../../lib/router.tsx'
import { sayFailure } from '../../../lib/sign-in-failure.ts'
import { providerTexts } from '../../../texts/providers.ts'

/** Section of the providers that sign in to the own account, and of those that could; nothing without one. */
export function Providers() {
  const { data: methods } = useQuery({ queryKey: ['methods'], queryFn: client.auth.methods })
  const { data: ways } = useWaysIn()
  const asked = useSearch()
  if (!ways || !methods || methods.providers.length === 0) return null
  const failure = sayFailure(asked['error'], methods.providers[0]?.name ?? providerTexts.provider)
  return (
    <Section title={providerTexts.link.title} lead={providerTexts.link.lead} className="own-width">
      <FormError error={failure && new HoldfastError(failure, { status: 400 })} />
      {methods.providers.map(({ id, name }) => (
        <Provider key={id} id={id} name={name} isLinked={ways.identities.length > 0} />
      ))}
    </Section>
  )
}

interface ProviderProps {
  id: SignInMethods['providers'][number]['id']
  name: string
  isLinked: boolean
}

function Provider({ id, name, isLinked }: ProviderProps) {
  const { is, isNot, link, unlink, unlinked } = providerTexts.link
  const change = useMutation({
    mutationFn: async () => {
      if (!isLinked) return location.assign((await linkProvider({ provider: id })).url)
      await unlinkProvider({ providerId: id })
      toast.done(unlinked(name))
    },
    meta: { isShownInPlace: () => true },
  })
  return (
    <div className="row wrap gap-3">
      <p className="grow">{isLinked ? is(name) : isNot(name)}</p>
      <Button isBusy={change.isPending} onClick={() => change.mutate()}>
        {isLinked ? unlink(name) : link(name)}
      </Button>
      <FormError error={change.error} />
    </div>
  )
}
