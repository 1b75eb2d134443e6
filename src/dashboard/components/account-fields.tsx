import type { ComponentProps } from 'react'
import { texts } from '../texts.ts'
import { TextField } from './field.tsx'

/** The fields of an account: as long as the server takes them, and known to password managers. */

type Presets = Partial<Omit<ComponentProps<typeof TextField>, 'name'>>

export const NameField = (input: Presets) => (
  <TextField label={texts.account.name} name="name" maxLength={255} autoComplete="name" required {...input} />
)

/** What one signs in with. */
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

/** A password that is to become one's own. */
export const NewPasswordField = (input: Presets) => (
  <TextField
    label={texts.account.password}
    hint={texts.account.passwordHint}
    name="newPassword"
    type="password"
    autoComplete="new-password"
    minLength={8}
    maxLength={128}
    required
    {...input}
  />
)
