import * as T from 'typebox'
import { ACCOUNT, EXAMPLE_ID, FILE, OTHER_ID } from '../api/openapi/samples.ts'
import { envelope, named, nullable, queryParameters } from '../api/schema.ts'
import type { ActivityRow, SecurityEventRow } from '../store/rows.ts'
import { RecordTime, recordTime } from './times.ts'

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
  { id: OTHER_ID, type: 'upload.succeeded', target: FILE.name, detail: null, createdAt: FILE.createdAt },
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
  {
    id: OTHER_ID,
    type: 'sign-in.failed',
    target: ACCOUNT.user.email,
    detail: null,
    createdAt: FILE.createdAt,
    userId: ACCOUNT.user.id,
    actorId: null,
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
  },
)

export const SecurityAnswer = envelope(T.Object({ activities: T.Array(SecurityEntryView) }))

export const part = {
  before: T.Optional(
    T.String({ description: 'Id of an entry; returns older ones.', examples: [EXAMPLE_ID] }),
  ),
  types: T.Optional(
    T.String({ description: 'Only entries of these types, comma-separated.', examples: ['upload.failed'] }),
  ),
}

/** Schema of a query for a part of an account's security log. */
export const SecurityQuery = queryParameters(T.Object(part))

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
