import * as T from 'typebox'
import Value from 'typebox/value'

/** Matches a segment of keys that stay below `uploads/`: no segment is empty, `.` or `..`. */
const SEGMENT = String.raw`(?!\.{0,2}(?:/|$))[^/\0]+`
const Key = T.String({ pattern: `^${SEGMENT}(?:/${SEGMENT})*$` })

const Identity = T.Object({ inode: T.String(), size: T.Integer(), mtimeMs: T.Number() })
const PlannedFile = T.Object({ key: Key, identity: Identity })

const UploadPlan = T.Object({
  kind: T.Literal('upload'),
  /** Keys of the directories to create, parents first. */
  folders: T.Array(Key),
  /** Target key of each staged file. */
  files: T.Array(PlannedFile),
})

/** Name in staging that an entry of the tree is set aside under. */
const AsideName = T.String({ pattern: '^[\\w-]+$' })

/** Deletion of a file: it is set aside in the turn that removes its row; then its bytes are purged. */
const DeletePlan = T.Object({
  kind: T.Literal('delete'),
  id: T.String(),
  key: Key,
  aside: AsideName,
  identity: Identity,
})

const Place = T.Object({
  parentId: T.String(),
  name: T.String(),
  key: Key,
})

/** Move or rename of a file or folder: one row, and one name on the volume. */
const MovePlan = T.Object({
  kind: T.Literal('move'),
  what: T.Union([T.Literal('file'), T.Literal('folder')]),
  id: T.String(),
  from: Place,
  to: Place,
  /** Keys of the directories to create for it, parents first. */
  folders: T.Optional(T.Array(Key)),
  /** Identity of the entry at `from`; null when its bytes were gone already. */
  identity: T.Union([Identity, T.Null()]),
  /**
   * Name in staging that a file passes through: leaving a directory may be refused, and entering one must
   * replace nothing.
   */
  aside: T.Optional(AsideName),
})

/**
 * Deletion of a folder: it is set aside and leaves the tree in the same turn; then its rows are purged in
 * slices.
 */
const DiscardPlan = T.Union([
  T.Object({
    kind: T.Literal('discard'),
    folderId: T.String(),
    /** Key of its directory. */
    key: Key,
    /** Identity of that directory, which a later one does not share. */
    birth: T.String(),
    /** Name it is set aside under. */
    aside: AsideName,
  }),
  /** Its directory was gone already: a later one at its key is not its own. */
  T.Object({ kind: T.Literal('discard'), folderId: T.String(), key: T.Null() }),
])

/**
 * Replacement of a file's bytes: old and new ones are linked into `versions/`; the new ones take the key in the
 * turn of the commit.
 */
const ReplacePlan = T.Object({
  kind: T.Literal('replace'),
  id: T.String(),
  key: Key,
  /** Name in `versions/`. */
  version: T.String({ pattern: '^[\\w-]+$' }),
  /** Identity of the bytes at `key`; null when there were none. */
  old: T.Union([Identity, T.Null()]),
  new: Identity,
  /** Key that the new bytes leave, when they are those of another file. */
  from: T.Optional(Key),
  /** Outcome; the commit itself writes it, with the row. */
  isCommitted: T.Boolean(),
  /** True when the old bytes stay as a version. */
  isKept: T.Boolean(),
})

/** Name below `trash/`. */
const Held = T.String({ pattern: `^${SEGMENT}/${SEGMENT}$` })

/** Move of a file or folder into the trash or out of it: one row or a few, and one name on the volume. */
const TrashPlan = T.Object({
  kind: T.Literal('trash'),
  what: T.Union([T.Literal('file'), T.Literal('folder')]),
  id: T.String(),
  /** Key that it leaves or returns to. */
  key: Key,
  /** Name below `trash/`. */
  held: Held,
  identity: Identity,
  /** Keys of the directories to create for its return, parents first. */
  folders: T.Array(Key),
})

/** Exchange of two folders: the one at `key` goes to the trash, and another takes its place. */
const SwapPlan = T.Object({
  kind: T.Literal('swap'),
  key: Key,
  /** Folder that goes to the trash, and its name below `trash/`. */
  old: T.Object({ id: T.String(), held: Held, identity: Identity }),
  /** Folder that takes its place. */
  next: T.Object({
    id: T.String(),
    /** Key that it leaves, or its name below `trash/`. */
    from: Key,
    isTrash: T.Boolean(),
    identity: Identity,
  }),
})

const Plan = T.Union([UploadPlan, DeletePlan, MovePlan, DiscardPlan, ReplacePlan, TrashPlan, SwapPlan])

/** Next steps of an operation on the volume: enough to roll it forward or back after a crash. */
export type Plan = T.Static<typeof Plan>
export type UploadPlan = T.Static<typeof UploadPlan>
export type DeletePlan = T.Static<typeof DeletePlan>
export type MovePlan = T.Static<typeof MovePlan>
export type DiscardPlan = T.Static<typeof DiscardPlan>
export type ReplacePlan = T.Static<typeof ReplacePlan>
export type TrashPlan = T.Static<typeof TrashPlan>
export type SwapPlan = T.Static<typeof SwapPlan>

/** @throws when the catalog holds a plan that this version does not understand, or one with an unsafe key. */
export const readPlan = (stored: unknown): Plan => Value.Parse(Plan, stored)
