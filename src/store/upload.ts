import type { Steps, Work } from '../catalog/engine/query.ts'
import type { ActivityRow } from '../catalog/people/activities.ts'
import type { NewFile, Terms } from '../catalog/publication.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { FolderRow } from '../catalog/tree/folders.ts'
import type { VersionRow } from '../catalog/tree/versions.ts'
import { NO_ID } from '../catalog/tree/within.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { DAY_MS } from '../platform/time.ts'
import { MAX_AHEAD_MS } from '../volume/staging.ts'
import { blobOf, type FileState, newFileRow, type StagedFile } from './content.ts'
import {
  FolderPlan,
  findRemovable,
  type Located,
  locateFile,
  locateMovable,
  refuseRight,
  requireFile,
  type TreeDeps,
} from './tree.ts'

/** Folders that are found in one read: each has its own round trips where the database is a server. */
const SLICE_FOLDERS = 100
/** Rows of new files that are built in one time slice. */
const SLICE_ROWS = 1000

export interface Upload {
  /** Folders by their names from the root; missing ones are created. */
  folders: readonly (readonly string[])[]
  /** Staged files with their target folders, which are among `folders`. */
  files: readonly {
    folder: readonly string[]
    name: string
    staged: StagedFile
    /** Time of the file in milliseconds; that of the publication if missing. */
    createdAt?: number
    /** Sums and headers that a client of the S3 API sent. */
    facts?: FileRow['facts']
  }[]
  /** True when missing folders are made only because an object key has slashes. */
  forKeys?: boolean
  /** Account that sent the files, and whose history has the entry; null for none. */
  uploadedBy: string | null
  /** Requested visibility; `undefined` for that of the terms, or private where the caller may not share. */
  visibility?: FileRow['visibility'] | undefined
  /**
   * Authorizes the upload inside the transaction that publishes it, and returns the rest of that transaction.
   * It may only read; a refusal rolls the upload back.
   */
  decide: (files: readonly NewFile[]) => Steps<UploadTerms>
}

/** Terms of an upload: the entry in its account's history gets its id and time here. */
interface UploadTerms extends Omit<Terms, 'activity'> {
  activity?: Pick<ActivityRow, 'type' | 'target' | 'detail'>
}

/** Result of an upload. */
export interface Published {
  folders: FolderRow[]
  files: FileRow[]
}

/**
 * Finds or plans the folders of an upload, in time slices.
 *
 * @throws {Refusal} `not-found`, `right-missing`, `conflict` when a file is in the place of one.
 */
export async function planFolders(
  deps: TreeDeps,
  { folders, forKeys }: Pick<Upload, 'folders' | 'forKeys'>,
): Promise<FolderPlan> {
  const plan = new FolderPlan(deps, forKeys)
  for (let index = 0; index < folders.length; index += SLICE_FOLDERS) {
    if (index > 0) await new Promise(setImmediate)
    const slice = folders.slice(index, index + SLICE_FOLDERS)
    await deps.catalog.read(function* () {
      for (const folder of slice) yield* plan.add(folder)
    })
  }
  return plan
}

/** Builds the rows of new files, in time slices. */
export async function newRows(
  { clock, random }: Pick<TreeDeps, 'clock' | 'random'>,
  files: readonly (Omit<Upload['files'][number], 'folder'> & { folderId: string })[],
  { uploadedBy }: Pick<Upload, 'uploadedBy'>,
): Promise<NewFile[]> {
  const now = clock.now()
  const rows: NewFile[] = []
  for (const [index, { folderId, name, staged, createdAt, facts = null }] of files.entries()) {
    if (index > 0 && index % SLICE_ROWS === 0) await new Promise(setImmediate)
    const time = createdAt ?? timeOf(staged, now)
    rows.push(newFileRow({ id: random.id(), folderId, name, uploadedBy, facts, ...contentOf(staged) }, time))
  }
  return rows
}

const contentOf = (staged: StagedFile) => {
  const { size, crc32, sha256, isUtf8 } = staged
  return { size, crc32, sha256, isUtf8, blobId: blobOf(staged) }
}

/** Returns the time of publication, or that of bytes on disk, which may be ahead of it: later bytes were edited there. */
function timeOf(staged: StagedFile, now: number): number {
  const ahead = 'identity' in staged ? staged.identity.mtimeMs - now : 0
  return ahead > 0 && ahead < MAX_AHEAD_MS ? now + ahead : now
}

/** Decides the terms of an upload, whose folders must still be reached. */
export function* decideOn(deps: TreeDeps, upload: Upload, rows: readonly NewFile[]): Work<Terms> {
  const { clock, random, reach } = deps
  const { uploadedBy: userId } = upload
  const { activity, ...decided } = yield* upload.decide(rows)
  const terms = reach.isEverything || (yield* mayShare(deps, upload)) ? decided : asPrivate(decided)
  if (!activity || userId === null) return terms
  return { ...terms, activity: { id: random.id(), userId, createdAt: clock.now(), ...activity } }
}

/** Returns true when the caller may share in every folder of an upload. @throws {Refusal} as `planFolders`. */
function* mayShare(deps: TreeDeps, { folders, visibility }: Upload): Work<boolean> {
  const plan = new FolderPlan(deps)
  for (const folder of folders) yield* plan.add(folder)
  const isAllowed = yield* plan.hasRight('share')
  if (!isAllowed && visibility === 'public') throw refuseRight('share')
  return isAllowed
}

/** Returns the terms of files that their sender may not share. */
const asPrivate = (terms: Omit<Terms, 'activity'>): Omit<Terms, 'activity'> => ({
  ...terms,
  visibility: 'private',
  ...(terms.copied && {
    copied: new Map(
      terms.copied.entries().map(([id, columns]) => [id, { ...columns, visibility: 'private' as const }]),
    ),
  }),
})

/** Bytes that a file gets: staged ones, or those of another file, which leaves the tree in the same transaction. */
export type NewBytes = { staged: StagedFile; movedId?: never } | { movedId: string; staged?: never }

/** New bytes of a file. */
export type Replacement = NewBytes & {
  /** Account that sent them. */
  uploadedBy: string
  /**
   * Evaluates preconditions against the present bytes, before anything changes. No other change of the file comes
   * between this and the replacement.
   *
   * @param present Undefined when the bytes are missing on disk.
   */
  admit: (present: FileState | undefined) => void
  /** New visibility, which takes effect with the new bytes; `undefined` leaves it. */
  visibility?: FileRow['visibility'] | undefined
  /** Sums and headers that a client of the S3 API sent. */
  facts?: FileRow['facts']
  /**
   * Rest of the transaction.
   *
   * @param size Length of the new bytes.
   */
  alongside: (file: FileRow, size: number) => Steps<void>
}

/** Finds the file whose bytes another one gets, as for a move to its place. @throws {Refusal} `not-found`, `right-missing`. */
export function* findMoved(deps: TreeDeps, movedId: string, id: string): Work<Located<FileRow>> {
  const { folder } = yield* locateFile(deps, id)
  return yield* locateMovable(deps, movedId, folder)
}

/** Finds a version that the caller may remove. @throws {Refusal} `not-found`, `right-missing`. */
export function* requireRemovable(deps: TreeDeps, id: string): Work<VersionRow> {
  const version = yield* deps.catalog.versions.byId(id)
  const isReached = deps.reach.isEverything || (yield* findRemovable(deps, version?.fileId ?? NO_ID))
  if (!version || !isReached) throw new Refusal('version-not-found')
  return version
}

/**
 * Changes the row of a file to its new bytes, and adds the version with the old ones. The time of change grows
 * strictly, so each state has its own.
 *
 * @param version Id of the version; `undefined` when the old bytes do not stay.
 */
export function* changeRow(
  deps: TreeDeps,
  id: string,
  { version, ...replacement }: Replacement & { version: string | undefined },
): Work<FileRow> {
  const { catalog, clock } = deps
  const file = yield* requireFile(deps, id)
  const { staged } = replacement
  const now = clock.now()
  const updatedAt = Math.max(staged ? timeOf(staged, now) : now, file.updatedAt + 1)
  const next = yield* newColumns(deps, id, replacement)
  const columns = { ...next, updatedAt, visibility: next.visibility ?? file.visibility }
  // An upload in pieces is finished first, so that its bytes do not count twice.
  yield* replacement.alongside(file, columns.size)
  if (staged) {
    const { uploadedBy } = replacement
    const isFreed = version === undefined && file.uploadedBy === uploadedBy
    const bytes = isFreed ? staged.size - file.size : staged.size
    yield* catalog.quotas.claim({ userId: uploadedBy, bytes })
  }
  if (version !== undefined) yield* catalog.versions.insert(versionOf(file, version, updatedAt))
  yield* catalog.files.update(id, columns)
  yield* catalog.integrity.clear(id)
  return { ...file, ...columns }
}

/** Returns the columns that come with new bytes. A file whose bytes move is removed, and its versions stay with them. */
function* newColumns(deps: TreeDeps, id: string, replacement: Replacement) {
  if (replacement.staged) {
    const { staged, uploadedBy, visibility, facts = null } = replacement
    return { ...contentOf(staged), facts, uploadedBy, visibility }
  }
  const { row } = yield* findMoved(deps, replacement.movedId, id)
  yield* deps.catalog.versions.giveTo(id, row.id)
  yield* deps.catalog.files.removeAll([row.id])
  const { size, crc32, sha256, isUtf8, blobId, facts, uploadedBy } = row
  const visibility = row.visibility === 'private' ? row.visibility : replacement.visibility
  return { size, crc32, sha256, isUtf8, blobId, facts, uploadedBy, visibility }
}

const versionOf = (file: FileRow, id: string, replacedAt: number): VersionRow => ({
  id,
  fileId: file.id,
  size: file.size,
  crc32: file.crc32,
  sha256: file.sha256,
  isUtf8: file.isUtf8,
  mimeType: file.mimeType,
  uploadedBy: file.uploadedBy,
  blobId: file.blobId,
  writtenAt: file.updatedAt,
  replacedAt,
})

/** Returns the time before which a version must have been replaced to be past its days. */
export function pruneBefore({ clock, versionDays }: { clock: Clock; versionDays: () => number }): number {
  const days = versionDays()
  // A setting of 0 keeps none, whatever the clock said when they were replaced.
  return days === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - days * DAY_MS
}
