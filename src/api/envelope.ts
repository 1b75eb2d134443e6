import * as T from 'typebox'
import { answer, named } from './schema.ts'

/** Builds the success envelope around `schema`. */
export const envelope = <const S extends T.TSchema>(schema: S) =>
  answer(T.Object({ data: schema, error: T.Null() }))

/** Success envelope without data. */
export const emptyEnvelope = envelope(T.Null())

/** Failure envelope. */
export const Failure = named(
  'Failure',
  T.Object({
    data: T.Null(),
    error: T.Object({
      message: T.String({ description: 'Message for people: the mistake and the remedy.' }),
    }),
  }),
)
/** Failure envelope of the sign-in routes, whose clients read a message and a code beside it. */
export const AuthFailure = named(
  'AuthFailure',
  T.Object({
    ...Failure.properties,
    message: T.String(),
    code: T.String({ description: 'Code for programs.' }),
  }),
)

/** Returns true for paths whose failures are an `AuthFailure`, those without a route included. */
export const isAuthPath = (path: string) => path.startsWith('/api/auth/')

export const success = <Data>(data: Data) => ({ data, error: null })
