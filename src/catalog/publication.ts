import type { ActivityRow, activityQueries } from './activities.ts'
import type { FileRow, fileQueries } from './files.ts'
import type { FolderRow, folderQueries } from './folders.ts'
import type { intentQueries } from './intents.ts'
import type { Work } from './query.ts'
import type { resumableQueries } from './resumables.ts'

/** A file's row before its visibility is decided. */
export type NewFile = Omit<FileRow, 'visibility'>

/** Folders and files that begin to exist together, with the intent that announced them. */
export interface Publication {
  intentId: string
  /** Folders to insert, parents first. */
  folders: readonly FolderRow[]
  files: readonly NewFile[]
}

/** Rest of a publication's transaction, decided when no other can commit before it. */
export interface Terms {
  visibility: FileRow['visibility']
  /** Visibility of single files by their ids; the others get `visibility`. */
  visibilities?: ReadonlyMap<string, FileRow['visibility']>
  activity?: ActivityRow
  /** Resumable upload that becomes the file. */
  resumable?: { id: string; fileId: string; expiresAt: number }
}

export interface PublicationTables {
  activities: Pick<ReturnType<typeof activityQueries>, 'insert'>
  files: Pick<ReturnType<typeof fileQueries>, 'insert'>
  folders: Pick<ReturnType<typeof folderQueries>, 'insert'>
  intents: Pick<ReturnType<typeof intentQueries>, 'remove'>
  resumables: Pick<ReturnType<typeof resumableQueries>, 'finish'>
}

/** Inserts the rows of a publication and removes its intent, inside the caller's transaction. */
export function* insertPublication(
  { activities, files, folders, intents, resumables }: PublicationTables,
  publication: Publication,
  terms: Terms,
): Work<void> {
  yield* folders.insert(publication.folders)
  yield* files.insert(publication.files.map((file) => withVisibility(file, terms)))
  const { activity, resumable } = terms
  if (resumable) {
    const { id, ...became } = resumable
    yield* resumables.finish(id, became)
  }
  if (activity) yield* activities.insert(activity)
  yield* intents.remove(publication.intentId)
}

/** Builds the row of a published file. */
export const withVisibility = (file: NewFile, { visibility, visibilities }: Terms): FileRow => ({
  ...file,
  visibility: visibilities?.get(file.id) ?? visibility,
})
