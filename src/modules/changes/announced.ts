import * as T from 'typebox'
import Value from 'typebox/value'
import type { Noted } from '../../store/rows.ts'

const Ids = T.Array(T.String())
const Announced = T.Object({
  node: T.String(),
  noted: T.Object({
    added: T.Record(T.String(), T.Union([Ids, T.Null()])),
    files: Ids,
    folders: Ids,
    below: Ids,
    writes: Ids,
    isIncomplete: T.Boolean(),
  }),
})

/** Writes what a server tells the others that share its database. */
export const writeAnnounced = (node: string, noted: Noted): string => JSON.stringify({ node, noted })

/** Reads what a server has told the others. */
export const readAnnounced = (text: string): { node: string; noted: Noted } =>
  Value.Parse(Announced, JSON.parse(text))
