import * as T from 'typebox'
import { answer } from './schema.ts'

/** The success envelope around `schema` (spec: Conventions 1). */
export const envelope = <const S extends T.TSchema>(schema: S) =>
  answer(T.Object({ data: schema, error: T.Null() }))

/** The success envelope that says nothing more. */
export const emptyEnvelope = envelope(T.Null())

export const success = <Data>(data: Data) => ({ data, error: null })
