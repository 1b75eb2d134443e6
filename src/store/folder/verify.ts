import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import { errorCode } from '../../platform/errors.ts'
import { isTooLong, joinKey, nameProblem } from '../../platform/names.ts'
import type { Entry } from '../../volume/directory.ts'
import { CutShort, type Pace, type StoredFile } from '../../volume/stored-file.ts'
import type { Volume } from '../../volume/volume.ts'
import { isDigest } from '../../volume/writer.ts'

/** Problem with the bytes of a file that the catalog knows. */
export type FileProblem =
  | 'name is not allowed'
  | 'key is too long'
  | 'bytes are missing'
  | 'cannot be read'
  | 'size differs'
  | 'checksum is malformed'
  | 'content differs'

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

/** Rows of one folder in memory at once. */
const PAGE_ROWS = 1000

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

  for await (const file of filesIn(options, folder.id)) {
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

async function* filesIn({ catalog }: VerifyOptions, folderId: string): AsyncGenerator<FileRow> {
  for (let name = ''; ; ) {
    const page = await catalog.files.inFolderAfter(folderId, name, PAGE_ROWS)
    yield* page
    if (page.length < PAGE_ROWS) return
    name = page.at(-1)?.name ?? ''
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

/** Returns true if a file was written to after it was stored, or after such a change was last adopted. */
export function isChanged(
  { mtimeMs }: Pick<StoredFile, 'mtimeMs'>,
  { createdAt, updatedAt }: Pick<FileRow, 'createdAt' | 'updatedAt'>,
): boolean {
  const changedAt = Math.trunc(mtimeMs)
  return changedAt > createdAt && changedAt !== updatedAt
}

/**
 * Returns the problem with the bytes of the file at `key`.
 *
 * @param pace Awaited after each chunk when the file is read.
 */
export async function fileProblem(
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

/**
 * Compares an open file with its row, and closes it.
 *
 * @param isRead True to compare its SHA-256, too.
 */
export async function contentProblem(
  opened: Pick<StoredFile, 'size' | 'close' | 'sha256'>,
  row: Pick<FileRow, 'size' | 'sha256'>,
  { isRead, pace }: { isRead: boolean; pace?: Pace | undefined },
): Promise<FileProblem | undefined> {
  if (!isDigest(row.sha256)) {
    opened.close()
    return 'checksum is malformed'
  }
  const { size } = opened
  if (size !== row.size || !isRead) {
    opened.close()
    return size === row.size ? undefined : 'size differs'
  }
  try {
    return (await opened.sha256(pace)) === row.sha256 ? undefined : 'content differs'
  } catch (error) {
    if (error instanceof CutShort || errorCode(error) !== undefined) return 'cannot be read'
    throw error
  }
}
