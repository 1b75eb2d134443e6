import * as T from 'typebox'
import Value from 'typebox/value'

const Identity = T.Object({ inode: T.String(), size: T.Integer(), mtimeMs: T.Number() })
const PlannedFile = T.Object({ key: T.String(), identity: Identity })

const UploadPlan = T.Object({
  kind: T.Literal('upload'),
  /** Keys of the directories to make, parents first. */
  folders: T.Array(T.String()),
  /** Where each staged file is to be linked. */
  files: T.Array(PlannedFile),
})

const RemovePlan = T.Object({ kind: T.Literal('remove'), files: T.Array(PlannedFile) })

const Plan = T.Union([UploadPlan, RemovePlan])

/** What an operation is about to do on the volume: enough to finish it, or to undo it, after a crash. */
export type Plan = T.Static<typeof Plan>
export type UploadPlan = T.Static<typeof UploadPlan>
export type RemovePlan = T.Static<typeof RemovePlan>

/** @throws when the catalog holds a plan that this version does not understand. */
export const readPlan = (stored: unknown): Plan => Value.Parse(Plan, stored)
