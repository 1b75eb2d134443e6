import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashedFile } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import { errorCode } from '../../platform/errors.ts'
import type { Entry } from '../../platform/listing.ts'
import { isTooLong, joinKey, nameProblem } from '../../platform/names.ts'
import type { Pace } from '../../volume/stored-file.ts'
import { isVersionId } from '../../volume/versions.ts'
import type { Volume } from '../../volume/volume.ts'
import { rowsOf } from '../batches.ts'
import { contentProblem, type FileProblem, isChanged } from '../content.ts'
import type { Contents } from '../scrub.ts'
import { heldPath } from '../trash/rows.ts'
import { readPlan } from './plan.ts'

/** Disagreement of volume and catalog, about a row or an entry on disk. */
export type Difference = { key: string } & (
  | { problem: FileProblem; file: FileRow }
  | {
      problem: 'name is not allowed' | 'key is too long' | 'folder is missing' | 'cannot be read'
      folder: FolderRow
    }
  | { problem: 'not in the catalog' | 'link or special file'; parentId: string; entry: Entry }
)

export interface VerifyOptions {
  catalog: Pick<ReadableCatalog, 'files' | 'folders'>
  volume: Volume
  /**
   * Reads every file and compares its SHA-256, or only those changed on disk since they were stored; else
   * only sizes are compared.
   */
  deep: boolean | 'changed'
}

/**
 * Compares the volume with the catalog, folder by folder, and changes nothing. It may run beside a server:
 * uploads and deletions meanwhile can show up as differences. Contents of unknown folders are not named.
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Difference> {
  const { folders } = options.catalog
  const root = await folders.byId(await folders.root())
  if (root) yield* verifyFolder(options, root, '')
}

async function* verifyFolder(
  options: VerifyOptions,
  folder: FolderRow,
  key: string,
): AsyncGenerator<Difference> {
  const { catalog, volume } = options
  const found = await orUnreadable(volume.list(key))
  const entries = found === UNREADABLE ? [] : found
  if (isTooLong(key)) yield { key, problem: 'key is too long', folder }
  else if (found === UNREADABLE) yield { key, problem: UNREADABLE, folder }
  else if (entries === undefined) yield { key, problem: 'folder is missing', folder }

  const after = (name: string, limit: number) => catalog.files.inFolderAfter(folder.id, name, limit)
  for await (const file of rowsOf(after, undefined, ({ name }) => name)) {
    const fileKey = joinKey(key, file.name)
    const problem = await fileProblem(options, file, fileKey)
    if (problem && (await isUnchanged(options, file))) yield { key: fileKey, problem, file }
  }
  for (const child of await catalog.folders.inFolder(folder.id)) {
    const childKey = joinKey(key, child.name)
    // A name such as ".." would lead elsewhere.
    if (nameProblem(child.name)) yield { key: childKey, problem: 'name is not allowed', folder: child }
    else yield* verifyFolder(options, child, childKey)
  }
  for (const entry of entries ?? []) {
    const problem = await entryProblem(options, folder.id, entry)
    if (problem) yield { key: joinKey(key, entry.name), problem, parentId: folder.id, entry }
  }
}

const UNREADABLE = 'cannot be read'

/** Resolves with `UNREADABLE` when the system refuses to read. */
export async function orUnreadable<Found>(look: Promise<Found>): Promise<Found | typeof UNREADABLE> {
  try {
    return await look
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return UNREADABLE
  }
}

/** True when the row is unchanged. Beside a server, the file may have been deleted or moved since. */
async function isUnchanged({ catalog }: VerifyOptions, file: FileRow): Promise<boolean> {
  const now = await catalog.files.byId(file.id)
  return now?.folderId === file.folderId && now.name === file.name
}

async function entryProblem({ catalog }: VerifyOptions, folderId: string, { name, kind }: Entry) {
  const file = await catalog.files.byName(folderId, name)
  const folder = await catalog.folders.byName(folderId, name)
  // An entry in the place of a known file or folder is reported as that one.
  if (kind === 'other') return file || folder ? undefined : 'link or special file'
  return (kind === 'file' ? file : folder) ? undefined : 'not in the catalog'
}

/**
 * Returns the problem with the bytes of the file at `key`.
 *
 * @param pace Awaited after each chunk when the file is read.
 */
async function fileProblem(
  { volume, deep }: Pick<VerifyOptions, 'volume' | 'deep'>,
  file: FileRow,
  key: string,
  pace?: Pace,
): Promise<FileProblem | undefined> {
  if (nameProblem(file.name)) return 'name is not allowed'
  if (isTooLong(key)) return 'key is too long'
  const opened = volume.openFile({ key })
  if (!opened) return (await orUnreadable(volume.identify(key, 'file'))) ? UNREADABLE : 'bytes are missing'
  return contentProblem(opened, file, { isRead: deep === true || (deep && isChanged(opened, file)), pace })
}

interface VerifyVersions {
  catalog: Pick<ReadableCatalog, 'versions' | 'intents'>
  volume: Volume
  /** Reads every version and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement about a version; the key is its path in the data folder. */
interface VersionDifference {
  key: string
  id: string
  problem: FileProblem | 'not in the catalog'
}

/** Compares `versions/` with the catalog, as `verify` does with the tree. */
export async function* verifyVersions(options: VerifyVersions): AsyncGenerator<VersionDifference> {
  const { catalog, volume, deep } = options
  const names = volume.versions.names()
  for await (const version of rowsOf(catalog.versions.after)) {
    const problem = await versionProblem(volume, version, { isRead: deep })
    if (problem && (await catalog.versions.byId(version.id)))
      yield { key: keyOf(version.id), id: version.id, problem }
  }
  const underWay = await namesUnderWay(options)
  for (const name of names)
    if (!underWay.has(name) && !(await catalog.versions.byId(name)) && volume.versions.has(name))
      yield { key: keyOf(name), id: name, problem: 'not in the catalog' }
}

const keyOf = (id: string) => `versions/${id}`

/** Returns the problem with the bytes of a version. */
async function versionProblem(
  volume: Volume,
  version: VersionRow,
  how: { isRead: boolean; pace?: Pace },
): Promise<FileProblem | undefined> {
  if (!isVersionId(version.id)) return 'name is not allowed'
  const opened = volume.versions.open(version.id)
  return opened ? contentProblem(opened, version, how) : 'bytes are missing'
}

/** Returns the names that replacements need which are not finished. */
async function namesUnderWay({ catalog }: VerifyVersions): Promise<Set<string>> {
  const plans = (await catalog.intents.all()).map(({ plan }) => plan)
  return new Set(plans.flatMap(versionIn))
}

function versionIn(stored: unknown): string[] {
  try {
    const plan = readPlan(stored)
    return plan.kind === 'replace' ? [plan.version] : []
  } catch {
    return []
  }
}

interface VerifyTrash {
  catalog: Pick<ReadableCatalog, 'trash' | 'read'>
  volume: Volume
  /** Reads every file and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement about the trash; the key is a path in the data folder. */
type TrashDifference = { key: string } & (
  | { problem: FileProblem; file: TrashedFile; path: string | undefined }
  | { problem: 'not in the catalog' }
)

/**
 * Compares `trash/` with the catalog, as `verify` does with the tree. Beside known items, only the folders of
 * unknown ones are named.
 */
export async function* verifyTrash({ catalog, volume, deep }: VerifyTrash): AsyncGenerator<TrashDifference> {
  for await (const file of rowsOf(catalog.trash.filesAfter)) {
    const path = await catalog.read(() => heldPath(catalog, file))
    const problem = await trashedProblem(volume, { file, path, isRead: deep })
    if (problem && (await catalog.trash.file(file.id)))
      yield { key: `trash/${path ?? file.id}`, problem, file, path }
  }
  for (const { name: entry } of volume.trash.entries())
    if (!(await catalog.trash.hasEntry(entry))) yield { key: `trash/${entry}`, problem: 'not in the catalog' }
}

/** Returns the problem with the bytes of a file in the trash; `path` is its place below `trash/`. */
async function trashedProblem(
  volume: Volume,
  { file, path, isRead, pace }: { file: TrashedFile; path: string | undefined; isRead: boolean; pace?: Pace },
): Promise<FileProblem | undefined> {
  const opened = path === undefined ? undefined : volume.trash.openFile(path)
  return opened ? contentProblem(opened, file, { isRead, pace }) : 'bytes are missing'
}

/** Returns the contents of a data folder. */
export const contentsOf =
  (volume: Volume): Contents =>
  ({ place, row }, path, pace) => {
    const how = { isRead: true, pace }
    if (place === 'files') return fileProblem({ volume, deep: true }, row, path, pace)
    if (place === 'versions') return versionProblem(volume, row, how)
    return trashedProblem(volume, { file: row, path, ...how })
  }
