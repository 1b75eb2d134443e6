import { Dices } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/fields/button.tsx'
import { TextField } from '../../components/fields/field.tsx'
import { userTexts } from '../../texts/users.ts'

/** Field with a generated password, in view because it is handed over. */
export function GeneratedPasswordField() {
  const [value, setValue] = useState('')
  return (
    <div className="password-field">
      <TextField
        label={userTexts.password}
        hint={userTexts.passwordHint}
        name="password"
        className="input code"
        minLength={8}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        required
      />
      <Button look="quiet" icon={Dices} onClick={() => setValue(generatePassword())}>
        {userTexts.generate}
      </Button>
    </div>
  )
}

/** 32 characters that look different from each other. The lowest five bits of a byte choose one uniformly. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Returns 80 random bits in groups of four characters, easy to read out. */
function generatePassword(): string {
  const signs = [...crypto.getRandomValues(new Uint8Array(16))].map(
    (byte) => ALPHABET[byte % ALPHABET.length],
  )
  return signs.join('').replace(/(.{4})(?=.)/g, '$1-')
}
