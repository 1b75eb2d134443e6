import { useState } from 'react'
import { HoldfastError } from '../../client/index.ts'
import { explain } from '../api/client.ts'
import { enterByCode, enterByRecoveryCode, inWords } from '../api/ways-in.ts'
import { Button } from '../components/fields/button.tsx'
import { CodeField, RecoveryCodeField } from '../components/fields/code-fields.tsx'
import { CheckField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { toast } from '../components/overlays/toast.tsx'
import { signInTexts } from '../texts/sign-in.ts'
import { WayIn } from './way-in.tsx'

interface SecondStepProps {
  methods: readonly string[]
  /** Goes back to the first step. */
  onAgain: () => void
}

/** Second step of a sign-in: a code of the app, or a recovery code. */
export default function SecondStep({ methods, onAgain }: SecondStepProps) {
  const mayCode = methods.includes('totp')
  const [isRecovery, setRecovery] = useState(!mayCode)
  const enter = useFormMutation({
    mutationFn: (form: FormData) => {
      const send = isRecovery ? enterByRecoveryCode : enterByCode
      return send(String(form.get('code')), form.has('trustDevice')).catch((error: unknown) => {
        if (!isOver(error)) throw error
        toast.error(explain(error))
        onAgain()
      })
    },
  })
  const words = signInTexts
  return (
    <WayIn
      title={isRecovery ? words.recoveryTitle : words.codeTitle}
      lead={isRecovery ? words.recoveryLead : words.codeLead}
      footer={
        <div className="stack gap-2 own-width in-middle">
          {mayCode && (
            <Button
              look="quiet"
              onClick={() => {
                enter.reset()
                setRecovery(!isRecovery)
              }}
            >
              {isRecovery ? words.useCode : words.useRecovery}
            </Button>
          )}
          <Button look="quiet" onClick={onAgain}>
            {words.again}
          </Button>
        </div>
      }
    >
      <Form
        key={String(isRecovery)}
        mutation={{ ...enter, error: inWords(enter.error) }}
        action={words.submit}
        onSubmit={enter.mutate}
      >
        {isRecovery ? <RecoveryCodeField /> : <CodeField label={words.code} />}
        <CheckField label={words.trust} name="trustDevice" />
      </Form>
      {isRecovery && <p className="note">{words.noneLeft}</p>}
    </WayIn>
  )
}

/** True when the sign-in has to begin again. */
const isOver = (error: unknown): boolean =>
  error instanceof HoldfastError && (error.code === 'second-step-missing' || error.code === 'too-many-codes')
