import * as T from 'typebox'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { envelope, jsonBody, oneOf, queryParameters } from '../../api/schema.ts'
import { timeParameter } from '../../api/time.ts'
import { ActivityView, part, SecurityEntryView } from '../../views/history.ts'

/** Schema of entries of an activity history or of the security log. */
export const HistoryAnswer = envelope(
  T.Object({ activities: T.Array(T.Union([ActivityView, SecurityEntryView])) }),
)

export const ActivitiesAnswer = envelope(T.Object({ activities: T.Array(ActivityView) }))
export const DeletedAnswer = envelope(T.Object({ deleted: T.Integer() }))

/** Parameters that filter the security log. */
const filter = {
  user: T.Optional(T.String({ description: 'Id of the account concerned.', examples: [EXAMPLE_ID] })),
  address: T.Optional(
    T.String({ description: 'Only events from this IP address.', examples: ['203.0.113.7'] }),
  ),
  after: T.Optional(timeParameter('a date or a time with its zone: only what happened then or later')),
  until: T.Optional(timeParameter('a date or a time with its zone: only what happened earlier')),
}

/** Schema of a query for an export of the security log. */
export const ExportQuery = queryParameters(T.Object({ types: part.types, ...filter }))

/** Schema of a query for a part of a history (before an entry, or of some types), or for the security log. */
export const HistoryQuery = queryParameters(
  T.Object({
    ...part,
    security: T.Optional(
      oneOf(['1'], {
        description:
          '`1` for the security log of the instance; requires `users:manage`. ' +
          '`user`, `address`, `after`, `until` and `limit` take effect with it alone.',
        examples: ['1'],
      }),
    ),
    ...filter,
    limit: T.Optional(
      T.String({
        description: 'Maximum number of entries, from 1 to 200.',
        examples: ['50'],
      }),
    ),
  }),
)

/** Schema of a deletion of entries: some by their ids, or all. */
export const DeleteBody = jsonBody(
  T.Object({ ids: T.Optional(T.Array(T.String(), { minItems: 1 })), all: T.Optional(T.Boolean()) }),
)
