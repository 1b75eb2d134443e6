import * as T from 'typebox'
import type { ActivityRow } from '../catalog/activities.ts'
import { envelope } from '../envelope.ts'
import { EXAMPLE_ID, RecordTime, recordTime } from '../files/model.ts'
import { jsonBody, nullable, queryParameters } from '../schema.ts'

/** Spec: Activity entry. */
export const ActivityView = T.Object({
  id: T.String(),
  type: T.String(),
  target: nullable(T.String({ description: 'What it happened to.' })),
  detail: nullable(T.String()),
  createdAt: RecordTime,
})

export const ActivitiesAnswer = envelope(T.Object({ activities: T.Array(ActivityView) }))
export const DeletedAnswer = envelope(T.Object({ deleted: T.Integer() }))

/** Which part of a history: what is older than an entry, and of some types (comma-separated) alone. */
export const HistoryQuery = queryParameters(
  T.Object({
    before: T.Optional(
      T.String({ description: 'Id of an entry: what is older than it.', examples: [EXAMPLE_ID] }),
    ),
    types: T.Optional(
      T.String({ description: 'Only entries of these types, comma-separated.', examples: ['upload.failed'] }),
    ),
  }),
)

/** Some entries by their ids, or all of them. */
export const DeleteBody = jsonBody(
  T.Object({ ids: T.Optional(T.Array(T.String(), { minItems: 1 })), all: T.Optional(T.Boolean()) }),
)

export const activityView = (entry: ActivityRow): T.Static<typeof ActivityView> => ({
  id: entry.id,
  type: entry.type,
  target: entry.target,
  detail: entry.detail,
  createdAt: recordTime(entry.createdAt),
})
