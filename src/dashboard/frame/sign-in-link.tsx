import { client } from '../api/client.ts'
import { enter as enterAccount } from '../api/session.ts'
import { Button } from '../components/fields/button.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { navigate, usePlace } from '../lib/router.tsx'
import { providerTexts } from '../texts/providers.ts'
import { WayIn } from './way-in.tsx'

/** Page of a link by the operator. Its token is the fragment of the address, and is used by the button only. */
export default function SignInLinkPage() {
  const { hash: token } = usePlace()
  const leave = () => navigate({ to: '/', replace: true })
  const enter = useFormMutation({
    mutationFn: (token: string) => client.auth.signInWithLink(token).then(enterAccount),
    onSuccess: leave,
  })
  const { title, lead, submit, other } = providerTexts.linkPage
  return (
    <WayIn
      title={title}
      lead={lead}
      footer={
        <Button look="quiet" onClick={leave}>
          {other}
        </Button>
      }
    >
      <Form mutation={enter} action={submit} onSubmit={() => enter.mutate(token)}>
        {null}
      </Form>
    </WayIn>
  )
}
