import { useQuery } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import { Button } from '../../components/fields/button.tsx'
import { navigate, useSearch } from '../../lib/router.tsx'
import { providerTexts } from '../../texts/providers.ts'
import { texts } from '../../texts.ts'

/** Notice about an account that was linked by its e-mail, at the end of the sign-in that did it. */
export function LinkedNotice() {
  const { linked } = useSearch()
  const { data } = useQuery({
    queryKey: ['methods'],
    queryFn: client.auth.methods,
    enabled: linked !== undefined,
  })
  const name = data?.providers.find(({ id }) => id === linked)?.name
  if (name === undefined) return null
  return (
    <section className="alerts" role="status">
      <ul className="card">
        <li className="row gap-3 small">
          <p className="grow">{providerTexts.link.linked(name)}</p>
          <Button onClick={() => navigate({ to: '/overview', replace: true })}>{texts.actions.done}</Button>
        </li>
      </ul>
    </section>
  )
}
