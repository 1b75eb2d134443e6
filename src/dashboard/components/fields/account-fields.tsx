import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { texts } from '../../texts.ts'
import { IconButton } from './button.tsx'
import { TextField } from './field.tsx'

/** Fields of an account, with the server's limits and the names that password managers know. */

type Presets = Partial<Omit<ComponentProps<typeof TextField>, 'name'>>

export const NameField = (input: Presets) => (
  <TextField label={texts.account.name} name="name" maxLength={255} autoComplete="name" required {...input} />
)

/** Field for the email address of a sign-in. */
export const EmailField = (input: Presets) => (
  <TextField
    label={texts.account.email}
    name="email"
    type="email"
    maxLength={255}
    autoComplete="username"
    required
    {...input}
  />
)

type PasswordFieldProps = Omit<ComponentProps<typeof TextField>, 'type' | 'aside'>

/** Field for a password, hidden until its button shows it. */
export function PasswordField(input: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      {...input}
      type={isShown ? 'text' : 'password'}
      spellCheck="false"
      autoCapitalize="none"
      aside={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? texts.account.hidePassword : texts.account.showPassword}
          onClick={() => setShown((before) => !before)}
        />
      }
    />
  )
}

/** Field for the new password of an own account. */
export const NewPasswordField = (input: Partial<PasswordFieldProps>) => (
  <PasswordField
    label={texts.account.password}
    hint={texts.account.passwordHint}
    name="newPassword"
    autoComplete="new-password"
    minLength={8}
    maxLength={128}
    required
    {...input}
  />
)
