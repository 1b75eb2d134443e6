import { signInTexts } from '../../texts/sign-in.ts'
import { TextField } from './field.tsx'

/** Field for a code of an authenticator app, which phones fill in. */
export const CodeField = ({ label }: { label: string }) => (
  <TextField
    label={label}
    hint={signInTexts.codeHint}
    title={signInTexts.codeHint}
    name="code"
    className="input digits"
    inputMode="numeric"
    autoComplete="one-time-code"
    pattern="\s*[0-9]{3}\s*[0-9]{3}\s*"
    maxLength={10}
    required
  />
)

export const RecoveryCodeField = () => (
  <TextField
    label={signInTexts.recovery}
    hint={signInTexts.recoveryHint}
    title={signInTexts.recoveryHint}
    name="code"
    className="input code"
    autoComplete="off"
    autoCapitalize="characters"
    spellCheck="false"
    pattern="([\s\-]*[A-Za-z]){12}[\s\-]*"
    maxLength={40}
    required
  />
)
