import { askAfterPassword } from '../../../api/passkeys.ts'
import { useSignInMethods } from '../../../api/session.ts'
import { turnOffCodes, type WaysIn } from '../../../api/ways-in.ts'
import { ConfirmChange } from '../../../components/overlays/confirm.tsx'
import { signInTexts as words } from '../../../texts/sign-in.ts'

/** Returns true if codes can be turned off while passkeys stay the second step. */
export function useKeepsStep({ codes, passkeys }: WaysIn): boolean {
  const methods = useSignInMethods().data
  return codes && passkeys.length > 0 && methods?.passkeys === true
}

/** Turns off the second step, whatever it consists of. */
async function turnOffAll({ passkeys }: WaysIn): Promise<void> {
  await turnOffCodes()
  if (passkeys.length > 0) await askAfterPassword(false)
}

/** Dialog that turns off codes, or the second step without codes. It says what is asked for from then on. */
export function TurnOff({ ways, onClose }: { ways: WaysIn; onClose: () => void }) {
  const keepsStep = useKeepsStep(ways)
  if (keepsStep)
    return (
      <ConfirmChange
        title={words.codesOffTitle}
        action={words.codesOff}
        change={turnOffCodes}
        done={words.codesAreOff}
        onClose={onClose}
      >
        {words.codesOffText}
      </ConfirmChange>
    )
  return (
    <ConfirmChange
      title={words.turnOffTitle}
      action={words.turnOff}
      change={() => turnOffAll(ways)}
      done={words.turnedOff}
      onClose={onClose}
    >
      {words.turnOffText} {ways.passkeys.length > 0 && words.passkeysStay}
    </ConfirmChange>
  )
}
