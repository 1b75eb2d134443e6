import { useMutation, useQuery } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import { Button } from '../../components/fields/button.tsx'
import { CopyField } from '../../components/fields/copy-field.tsx'
import { FormError } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { providerTexts } from '../../texts/providers.ts'

/** Section of the provider, when there is one. */
export function Providers() {
  const { data } = useQuery({ queryKey: ['settings', 'sign-in'], queryFn: client.settings.signIn })
  const attempt = useMutation({ mutationFn: client.settings.trySignIn })
  const [provider] = data?.providers ?? []
  if (!data || !provider) return null
  const { title, lead, redirect, works, guide } = providerTexts.settings
  return (
    <div className="cards flow stack">
      <Section title={title} lead={lead} className="gap-5">
        <div className="stack gap-1">
          <span className="small medium">{provider.name}</span>
          <p className="anywhere">{provider.issuer}</p>
        </div>
        <div className="stack gap-1">
          <span className="small medium">{redirect}</span>
          <CopyField label={redirect} text={data.redirectUrl} />
        </div>
        <div className="row wrap gap-3">
          <Button isBusy={attempt.isPending} onClick={() => attempt.mutate()}>
            {providerTexts.settings.try}
          </Button>
          <div className="grow anywhere" role="status">
            {attempt.data && (
              <p className={attempt.data.problem === null ? '' : 'danger'}>
                {attempt.data.problem ?? works(provider.name)}
              </p>
            )}
          </div>
        </div>
        <FormError error={attempt.error} />
        <a href="/docs/sign-in">{guide}</a>
      </Section>
    </div>
  )
}
