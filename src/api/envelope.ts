import * as T from 'typebox'
import { answer } from './schema.ts'

/** The success envelope around `schema` (spec: Conventions 1). */
export const envelope = <const S extends T.TSchema>(schema: S) =>
  answer(T.Object({ data: schema, error: T.Null() }))

/** The success envelope that says nothing more. */
export const emptyEnvelope = envelope(T.Null())

/** The failure envelope (spec: Conventions 1). */
export const Failure = T.Object({
  data: T.Null(),
  error: T.Object({ message: T.String({ description: 'What was wrong and what to do, for people.' }) }),
})
/** Clients of the sign-in routes read the message and a code beside the envelope. */
export const AuthFailure = T.Object({
  ...Failure.properties,
  message: T.String(),
  code: T.String({ description: 'What was wrong, for programs.' }),
})

export const success = <Data>(data: Data) => ({ data, error: null })
