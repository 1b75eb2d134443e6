import * as T from 'typebox'
import type { ActivityRow } from '../catalog/activities.ts'
import { envelope } from '../envelope.ts'
import { RecordTime, recordTime } from '../files/model.ts'
import { jsonBody, nullable } from '../schema.ts'

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
