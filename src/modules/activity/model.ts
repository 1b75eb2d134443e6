import * as T from 'typebox'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { envelope, jsonBody, named, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { timeParameter } from '../../api/time.ts'
import type { ActivityRow, SecurityEventRow } from '../../store/rows.ts'
import { RecordTime, recordTime } from '../files/model.ts'

/** Schema of an activity entry. */
export const ActivityView = named(
  'Activity',
  T.Object({
    id: T.String(),
    type: T.String(),
    target: nullable(T.String({ description: 'Object of the event.' })),
    detail: nullable(T.String()),
    createdAt: RecordTime,
  }),
)

/** Schema of an entry of the security log, whose target is the e-mail of the account. */
export const SecurityEntryView = named(
  'SecurityEntry',
  T.Object({
    ...ActivityView.properties,
    userId: nullable(T.String({ description: 'The account concerned.' })),
    actorId: nullable(T.String({ description: 'The account that made the change, if it is another one.' })),
    ipAddress: T.String(),
    userAgent: T.String(),
  }),
)

export const SecurityAnswer = envelope(T.Object({ activities: T.Array(SecurityEntryView) }))
/** Schema of entries of an activity history or of the security log. */
export const HistoryAnswer = envelope(
  T.Object({ activities: T.Array(T.Union([ActivityView, SecurityEntryView])) }),
)

export const ActivitiesAnswer = envelope(T.Object({ activities: T.Array(ActivityView) }))
export const DeletedAnswer = envelope(T.Object({ deleted: T.Integer() }))

const part = {
  before: T.Optional(
    T.String({ description: 'Id of an entry; returns older ones.', examples: [EXAMPLE_ID] }),
  ),
  types: T.Optional(
    T.String({ description: 'Only entries of these types, comma-separated.', examples: ['upload.failed'] }),
  ),
}

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

/** Schema of a query for a part of an account's security log. */
export const SecurityQuery = queryParameters(T.Object(part))

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

export const securityView = (entry: SecurityEventRow): T.Static<typeof SecurityEntryView> => ({
  id: entry.id,
  type: entry.type,
  target: entry.email,
  detail: entry.detail,
  createdAt: recordTime(entry.createdAt),
  userId: entry.userId,
  actorId: entry.actorId,
  ipAddress: entry.ipAddress,
  userAgent: entry.userAgent,
})

export const activityView = (entry: ActivityRow): T.Static<typeof ActivityView> => ({
  id: entry.id,
  type: entry.type,
  target: entry.target,
  detail: entry.detail,
  createdAt: recordTime(entry.createdAt),
})
