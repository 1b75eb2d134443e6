import mime from 'mime'
import { blobTime, type StagedBlob } from '../../blobs/blobs.ts'
import { done, type Steps, type Work } from '../../catalog/engine/query.ts'
import { UnknownOutcome } from '../../catalog/engine/unknown-outcome.ts'
import type { ActivityRow } from '../../catalog/people/activities.ts'
import { type NewFile, type Terms, withVisibility } from '../../catalog/publication.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import { joinKey } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import { MAX_AHEAD_MS, type StagedFile as StagedOnDisk } from '../../volume/staging.ts'
import type { FileState } from '../opened.ts'
import {
  assertFree,
  assertFreeOnDisk,
  type FolderPlace,
  FolderPlan,
  findTarget,
  folderToCreate,
  type Located,
  type NewFolder,
  type TreeDeps,
} from '../tree.ts'
import { change, type StorageDeps } from './change.ts'
import type { UploadPlan } from './plan.ts'

/** Folders that are found in one read: each has its own round trips where the database is a server. */
const SLICE_FOLDERS = 100

/** Received bytes that are not published: a file in staging, or a blob that no row refers to. */
export type StagedFile = StagedOnDisk | StagedBlob

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
  }[]
  /** Account that sent the files, and whose history has the entry; null for none. */
  uploadedBy: string | null
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
 * Publishes staged files and their folders, all of them or none (docs/architecture.md): commits the intent,
 * creates directories, links, then commits one transaction. Recovery rolls back a crash before the last step;
 * after it, the upload stands.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when a name is taken, even by an entry that the
 *   catalog does not know.
 */
export async function publishUpload(deps: StorageDeps, upload: Upload): Promise<Published> {
  const published = await deps.lock.shared(async () => {
    const plan = await planFolders(deps, upload)
    return plan.missing.length === 0 ? publish(deps, plan, upload) : undefined
  })
  return published ?? deps.lock.exclusive(async () => publish(deps, await planFolders(deps, upload), upload))
}

/**
 * Refuses a file that could not be published now, before its bytes are sent.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when the name is taken.
 */
export function assertPublishable(
  deps: StorageDeps,
  { folder, name }: { folder: readonly string[]; name: string },
): Promise<void> {
  // Inside the lock, because a new folder is on disk before the catalog knows it.
  return deps.lock.shared(async () => {
    const target = await deps.catalog.read(() => findTarget(deps, { folder }))
    const key = joinKey(target.key, name)
    deps.keyLimit.admit({ folders: [], files: [{ key }] })
    await change(deps, notStored([key]), () =>
      assertAllFree(deps, { missing: target.missing, files: [{ ...target, name }] }),
    )
  })
}

/** Finds or plans the folders of an upload, in time slices. @throws {Refusal} `conflict` when a file is in the place of one. */
export async function planFolders(deps: TreeDeps, { folders }: Pick<Upload, 'folders'>): Promise<FolderPlan> {
  const plan = new FolderPlan(deps)
  for (let index = 0; index < folders.length; index += SLICE_FOLDERS) {
    if (index > 0) await new Promise(setImmediate)
    const slice = folders.slice(index, index + SLICE_FOLDERS)
    await deps.catalog.read(function* () {
      for (const folder of slice) yield* plan.add(folder)
    })
  }
  return plan
}

/**
 * Creates a folder and the missing folders above it.
 *
 * @throws {Refusal} `conflict` when it exists, or something is in the way.
 */
export function createFolder(deps: StorageDeps, segments: readonly string[]): Promise<Located<FolderRow>> {
  return deps.lock.exclusive(async () => {
    const target = await deps.catalog.read(() => findTarget(deps, { folder: segments }))
    const created = folderToCreate(target)
    // No file is published, so the visibility does not matter.
    const decide = () => done<Terms>({ visibility: 'private' })
    await publishPlan(deps, { missing: target.missing, files: [], rows: [], decide })
    return created
  })
}

async function publish(deps: StorageDeps, plan: FolderPlan, upload: Upload): Promise<Published> {
  const files = upload.files.map(({ folder, staged, ...file }) => ({
    ...plan.at(folder),
    ...file,
    staged: onDisk(staged),
  }))
  const rows = await newRows(deps, files, upload)
  const decide = () => decideOn(deps, upload, rows)
  const terms = await publishPlan(deps, { missing: plan.missing, files, rows, decide })
  return {
    folders: plan.missing.map(({ row }) => row),
    files: rows.map((row) => withVisibility(row, terms)),
  }
}

/** Staged file with its target folder. */
interface PlacedFile extends FolderPlace {
  name: string
  staged: StagedOnDisk
}

interface Publication {
  /** Folders to create, parents first. */
  missing: readonly NewFolder[]
  files: readonly PlacedFile[]
  /** Rows of the files. */
  rows: readonly NewFile[]
  decide: () => Steps<Terms>
}

const notStored = (keys: readonly string[]) => ({ failure: `"${keys[0]}" could not be stored`, keys })

function publishPlan(deps: StorageDeps, publication: Publication): Promise<Terms> {
  const plan = planUpload(publication)
  deps.keyLimit.admit(plan)
  const keys = [...plan.files.map(({ key }) => key), ...plan.folders]
  return change(deps, notStored(keys), async () => {
    await assertAllFree(deps, publication)
    const taken = plan.files.map(({ key }) => key)
    try {
      return await deps.lock.publish(taken, () => commitPlan(deps, plan, publication))
    } catch (error) {
      // A name may have been refused for another publication that is not committed yet.
      for (const key of taken) await deps.lock.published(key)
      throw error
    }
  })
}

async function commitPlan(deps: StorageDeps, plan: UploadPlan, publication: Publication): Promise<Terms> {
  const { catalog, volume, unfinished } = deps
  const { missing, rows, decide } = publication
  const intentId = deps.random.id()
  await unfinished.announce(intentId, plan)
  try {
    for (const [key, additions] of additionsOf(publication)) await volume.add(key, additions)
    return await catalog.publish({ intentId, folders: missing.map(({ row }) => row), files: rows }, () => {
      volume.assertPresent()
      return decide()
    })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await unfinished.finish(intentId, plan)
    throw error
  }
}

/**
 * Refuses taken names for files, or for folders to create.
 *
 * @throws {Refusal} `conflict`.
 */
export async function assertAllFree(
  deps: StorageDeps,
  { missing, files }: { missing: readonly NewFolder[]; files: readonly (FolderPlace & { name: string })[] },
): Promise<void> {
  // Nothing can be taken in a folder that does not exist yet.
  const made = new Set(missing.map(({ row }) => row.id))
  for (const { key, row } of missing) {
    // The catalog was asked for the name when the folder was planned.
    if (!made.has(row.parentId ?? '')) await assertFreeOnDisk(deps, key, row.name)
  }
  for (const file of files) if (!made.has(file.folderId)) await assertFree(deps, file, file.name)
}

const planUpload = ({ missing, files }: Publication): UploadPlan => ({
  kind: 'upload',
  folders: missing.map(({ key }) => key),
  files: files.map(({ key, name, staged }) => ({ key: joinKey(key, name), identity: staged.identity })),
})

const additionsOf = ({ missing, files }: Publication) =>
  byDirectory(
    missing.map(({ key }) => key),
    files.map(({ key, name, staged }) => ({ key: joinKey(key, name), stagedPath: staged.path })),
  )

/** Rows of new files that are built in one time slice. */
const SLICE_ROWS = 1000

/** Builds the rows of new files, in time slices. */
export async function newRows(
  { clock, random }: Pick<TreeDeps, 'clock' | 'random'>,
  files: readonly { folderId: string; name: string; staged: StagedFile; createdAt?: number }[],
  { uploadedBy }: Pick<Upload, 'uploadedBy'>,
): Promise<NewFile[]> {
  const now = clock.now()
  const rows: NewFile[] = []
  for (const [index, { folderId, name, staged, createdAt }] of files.entries()) {
    if (index > 0 && index % SLICE_ROWS === 0) await new Promise(setImmediate)
    const { size, crc32, sha256 } = staged
    const content = { size, crc32, sha256, blobId: blobOf(staged) }
    const time = createdAt ?? timeOf(staged, now)
    rows.push(newFileRow({ id: random.id(), folderId, name, uploadedBy, ...content }, time))
  }
  return rows
}

/** Returns the time of publication, or that of bytes on disk, which may be ahead of it: later bytes were edited there. */
function timeOf(staged: StagedFile, now: number): number {
  const ahead = 'identity' in staged ? staged.identity.mtimeMs - now : 0
  return ahead > 0 && ahead < MAX_AHEAD_MS ? now + ahead : now
}

/** Decides the terms of an upload. */
export function* decideOn(
  { clock, random }: Pick<TreeDeps, 'clock' | 'random'>,
  { decide, uploadedBy: userId }: Upload,
  rows: readonly NewFile[],
): Work<Terms> {
  const { activity, ...terms } = yield* decide(rows)
  if (!activity || userId === null) return terms
  return { ...terms, activity: { id: random.id(), userId, createdAt: clock.now(), ...activity } }
}

/** Returns length and time of staged bytes, as they will be of the published file. */
export const stateOf = (staged: StagedFile): FileState =>
  'identity' in staged ? staged.identity : { size: staged.size, mtimeMs: blobTime(staged.id) }

/** Returns the id of the blob that staged bytes are; null for a file on disk. */
export const blobOf = (staged: StagedFile): string | null => ('identity' in staged ? null : staged.id)

/** Returns staged bytes as the file on disk that they are. */
export function onDisk(staged: StagedFile): StagedOnDisk {
  if ('identity' in staged) return staged
  throw new Error('A blob cannot be published in the data folder')
}

type Content = Pick<FileRow, 'size' | 'crc32' | 'sha256'> & { blobId?: string | null }
type Given = Pick<FileRow, 'id' | 'folderId' | 'name' | 'uploadedBy'> & Content

/** Builds the row of a new file before its visibility is decided, for uploads and for adopted files. */
export const newFileRow = (given: Given, createdAt: number): Omit<FileRow, 'visibility'> => ({
  blobId: null,
  ...given,
  mimeType: mediaType(given.name),
  createdAt,
  updatedAt: createdAt,
})

const UNKNOWN = 'application/octet-stream'

/**
 * Returns the media type for the name of a file, without a charset.
 *
 * The extension follows the last dot and is case-insensitive. A name without a dot has none: a file called `html` is no
 * page.
 */
export const mediaType = (name: string): string => (name.includes('.') && mime.getType(name)) || UNKNOWN
