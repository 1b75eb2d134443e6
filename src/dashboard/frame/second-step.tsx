import { useState } from 'react'
import { HoldfastError } from '../../client/index.ts'
import { explain } from '../api/client.ts'
import { enterByPasskey } from '../api/passkeys.ts'
import { enterByCode, enterByRecoveryCode, inWords } from '../api/ways-in.ts'
import { Button } from '../components/fields/button.tsx'
import { CodeField, RecoveryCodeField } from '../components/fields/code-fields.tsx'
import { CheckField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { toast } from '../components/overlays/toast.tsx'
import { passkeyTexts } from '../texts/passkeys.ts'
import { signInTexts } from '../texts/sign-in.ts'
import { WayIn } from './way-in.tsx'

interface SecondStepProps {
  methods: readonly string[]
  /** Goes back to the first step. */
  onAgain: () => void
}

type Step = 'passkey' | 'code' | 'recovery'

/** Second step of a sign-in: a passkey, a code of the app, or a recovery code. */
export default function SecondStep({ methods, onAgain }: SecondStepProps) {
  const steps: Step[] = [
    ...(methods.includes('passkey') ? (['passkey'] as const) : []),
    ...(methods.includes('totp') ? (['code'] as const) : []),
    'recovery',
  ]
  const [step, setStep] = useState<Step>(steps[0] ?? 'recovery')
  const enter = useFormMutation({
    mutationFn: (form: FormData) => {
      const trust = form.has('trustDevice')
      const code = String(form.get('code'))
      const send = {
        passkey: () => enterByPasskey(trust),
        code: () => enterByCode(code, trust),
        recovery: () => enterByRecoveryCode(code, trust),
      }
      return send[step]().catch((error: unknown) => {
        if (!isOver(error)) throw error
        toast.error(explain(error))
        onAgain()
      })
    },
  })
  const words = signInTexts
  return (
    <WayIn
      title={TITLES[step]}
      lead={LEADS[step]}
      footer={
        <div className="stack gap-2 own-width in-middle">
          {steps
            .filter((other) => other !== step)
            .map((other) => (
              <Button
                key={other}
                look="quiet"
                onClick={() => {
                  enter.reset()
                  setStep(other)
                }}
              >
                {CHOICES[other]}
              </Button>
            ))}
          <Button look="quiet" onClick={onAgain}>
            {words.again}
          </Button>
        </div>
      }
    >
      <Form
        key={step}
        mutation={{ ...enter, error: inWords(enter.error) }}
        action={step === 'passkey' ? passkeyTexts.step : words.submit}
        onSubmit={enter.mutate}
      >
        {step === 'recovery' && <RecoveryCodeField />}
        {step === 'code' && <CodeField label={words.code} />}
        <CheckField label={words.trust} name="trustDevice" />
      </Form>
      {step === 'recovery' && <p className="note">{words.noneLeft}</p>}
    </WayIn>
  )
}

const TITLES: Record<Step, string> = {
  passkey: passkeyTexts.stepTitle,
  code: signInTexts.codeTitle,
  recovery: signInTexts.recoveryTitle,
}
const LEADS: Record<Step, string> = {
  passkey: passkeyTexts.stepLead,
  code: signInTexts.codeLead,
  recovery: signInTexts.recoveryLead,
}
const CHOICES: Record<Step, string> = {
  passkey: passkeyTexts.step,
  code: signInTexts.useCode,
  recovery: signInTexts.useRecovery,
}

/** True when the sign-in has to begin again. */
const isOver = (error: unknown): boolean =>
  error instanceof HoldfastError && (error.code === 'second-step-missing' || error.code === 'too-many-codes')
