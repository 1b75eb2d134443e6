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
    accounts: Ids,
    writes: Ids,
    isIncomplete: T.Boolean(),
  }),
})

/** Writes an announcement of changes to the servers that share a database. */
export const writeAnnounced = (node: string, noted: Noted): string => JSON.stringify({ node, noted })

/** Reads an announcement; `undefined` when another version of the program has written it. */
export function readAnnounced(text: string): T.Static<typeof Announced> | undefined {
  try {
    return Value.Parse(Announced, JSON.parse(text))
  } catch {
    return undefined
  }
}
