import * as T from 'typebox'
import Value from 'typebox/value'

/** Matches a segment of keys that stay below `uploads/`: no segment is empty, `.` or `..`. */
const SEGMENT = String.raw`(?!\.{0,2}(?:/|$))[^/\0]+`
const Key = T.String({ pattern: `^${SEGMENT}(?:/${SEGMENT})*$` })

const Identity = T.Object({ inode: T.String(), size: T.Integer(), mtimeMs: T.Number() })
const PlannedFile = T.Object({ key: Key, identity: Identity })

const UploadPlan = T.Object({
  kind: T.Literal('upload'),
  /** Keys of the directories to make, parents first. */
  folders: T.Array(Key),
  /** Where each staged file is to be linked. */
  files: T.Array(PlannedFile),
})

/** Files whose rows are gone; of earlier versions, which removed the row before the bytes. */
const RemovePlan = T.Object({ kind: T.Literal('remove'), files: T.Array(PlannedFile) })

/** A name in staging that an entry of the tree is set aside under. */
const AsideName = T.String({ pattern: '^[\\w-]+$' })

/** A file is deleted: it is set aside, and its row goes in the same turn; then its bytes go. */
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

/** A file or folder changes its name or place: one row, and one name on the volume. */
const MovePlan = T.Object({
  kind: T.Literal('move'),
  what: T.Union([T.Literal('file'), T.Literal('folder')]),
  id: T.String(),
  from: Place,
  to: Place,
  /** Keys of the directories to make for it, parents first. */
  folders: T.Optional(T.Array(Key)),
  /** What stood at `from`; nothing when the bytes were gone already. */
  identity: T.Union([Identity, T.Null()]),
  /** A file passes through staging: to leave a directory may be refused, and to enter one must replace nothing. */
  aside: T.Optional(AsideName),
})

/** A folder is deleted: it is set aside and taken out of the tree in the same turn; then its rows go in slices. */
const DiscardPlan = T.Object({
  kind: T.Literal('discard'),
  folderId: T.String(),
  /** Where its directory was; nothing when it was gone already: what is there later is not its own. */
  key: T.Union([Key, T.Null()]),
  /** What tells that directory from one made later. */
  birth: T.Optional(T.String()),
  /** Earlier versions left the directory where it was. */
  aside: T.Optional(AsideName),
})

const Plan = T.Union([UploadPlan, RemovePlan, DeletePlan, MovePlan, DiscardPlan])

/** What an operation is about to do on the volume: enough to finish it, or to undo it, after a crash. */
export type Plan = T.Static<typeof Plan>
export type UploadPlan = T.Static<typeof UploadPlan>
export type DeletePlan = T.Static<typeof DeletePlan>
export type RemovePlan = T.Static<typeof RemovePlan>
export type MovePlan = T.Static<typeof MovePlan>
export type DiscardPlan = T.Static<typeof DiscardPlan>

/** @throws when the catalog holds a plan that this version does not understand, or one with an unsafe key. */
export const readPlan = (stored: unknown): Plan => Value.Parse(Plan, stored)

/** What is done in one directory. */
interface InDirectory<File> {
  /** Names of the directories in it. */
  folders: string[]
  files: (File & { name: string })[]
}

/** Directories and files sorted by the directory they are in. A directory comes after the one it is in. */
export function byDirectory<File extends { key: string }>(
  folders: readonly string[],
  files: readonly File[],
): Map<string, InDirectory<File>> {
  const directories = new Map<string, InDirectory<File>>()
  const locate = (key: string) => {
    const slash = key.lastIndexOf('/')
    const parent = key.slice(0, Math.max(slash, 0))
    const directory = directories.get(parent) ?? { folders: [], files: [] }
    directories.set(parent, directory)
    return { directory, name: key.slice(slash + 1) }
  }
  for (const key of folders) {
    const { directory, name } = locate(key)
    directory.folders.push(name)
  }
  for (const file of files) {
    const { directory, name } = locate(file.key)
    directory.files.push({ ...file, name })
  }
  return directories
}
