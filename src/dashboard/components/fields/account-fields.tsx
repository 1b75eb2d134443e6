import type { ComponentProps } from 'react'
import { texts } from '../../texts.ts'
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
