import type { FileRow } from '../catalog/files.ts'
import type { Snapshot } from '../catalog/lists.ts'
import type { Deps } from '../deps.ts'
import { refuseInvalid } from '../errors.ts'
import { distinctIds } from '../files/batch.ts'
import { fileNotFound, keyOfFile } from '../files/service.ts'
import type { NamedFolder } from '../folders/model.ts'
import { requireFolder } from '../folders/service.ts'
import { foldersFrom, type PlacedFolder } from '../folders/walk.ts'
import { joinKey } from '../volume/names.ts'
import { SMALL_BYTES, type StoredFile } from '../volume/stored-file.ts'
import type { StoredFolder } from '../volume/stored-folder.ts'
import type { ZipContent, ZipEntry } from '../zip/entry.ts'
import { ZipLength } from '../zip/length.ts'

/** An archive that is about to be sent. */
export interface Archive {
  /** The name to save it under. */
  name: string
  /** Exact length in bytes. */
  length: number
  /** Taken once, from the first to the last. */
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>
  /** Must be called when the entries are not needed any more, taken or not. */
  close: () => void
}

/**
 * An archive of the files with these ids, their paths below the deepest folder that all of them share
 * (spec: Download several as zip).
 *
 * @throws {Refusal} `invalid`; `not_found` when any of them, or its bytes, do not exist.
 */
export function archiveFiles(deps: Deps, ids: readonly string[]): Archive {
  if (ids.length === 0) throw refuseInvalid('"ids" must not be empty')
  const files = distinctIds(ids, deps.config.maxDownloadIds).map((id) => {
    const file = deps.catalog.files.byId(id)
    if (!file || deps.catalog.folders.keyOf(file.folderId) === undefined) throw fileNotFound()
    return { file, key: keyOfFile(deps, file) }
  })
  const shared = sharedFolder(files.map(({ key }) => key))
  const entries: ZipEntry[] = []
  const length = new ZipLength()
  const buffer = new Uint8Array(SMALL_BYTES)
  for (const { file, key } of files) {
    const opened = deps.volume.openFile(key)
    if (!opened) throw fileNotFound()
    opened.close()
    const path = key.slice(shared === '' ? 0 : shared.length + 1)
    const entry = entryOf(file, path, () => contentOf(openById(deps, file.id), { size: file.size, buffer }))
    entries.push(entry)
    length.add(entry)
  }
  const name = shared.slice(shared.lastIndexOf('/') + 1)
  return { name: `${name || 'files'}.zip`, length: length.total(), entries, close: () => {} }
}

/** The key of the deepest folder that holds all of the files at `keys`. */
function sharedFolder(keys: readonly string[]): string {
  const folders = keys.map((key) => key.split('/').slice(0, -1))
  const [first = [], ...others] = folders
  const differs = first.findIndex((name, depth) => others.some((folder) => folder[depth] !== name))
  return (differs === -1 ? first : first.slice(0, differs)).join('/')
}

/**
 * An archive of a folder and everything below it, under a directory of its name (spec: Download as zip).
 * Files whose bytes are missing are left out.
 *
 * @throws {Refusal} `not_found`.
 */
export async function archiveFolder(deps: Deps, which: NamedFolder): Promise<Archive> {
  const folder = requireFolder(deps, which)
  const snapshot = deps.catalog.lists.snapshot(COLUMNS)
  const close = () => snapshot[Symbol.dispose]()
  try {
    // The tree is walked twice, over the same snapshot: the length is told before the first byte.
    const changes = new Map<string, Change>()
    const length = new ZipLength()
    const walking: Walk = {
      snapshot,
      changes,
      buffer: new Uint8Array(SMALL_BYTES),
      isSecond: false,
      displacements: deps.catalog.files.displacements(),
    }
    for await (const entry of walk(deps, walking, { ...folder, path: folder.name })) length.add(entry)
    const entries = walk(deps, { ...walking, isSecond: true }, { ...folder, path: folder.name })
    return { name: `${folder.name}.zip`, length: length.total(), entries, close }
  } catch (error) {
    close()
    throw error
  }
}

/** A file whose bytes are missing, or were edited on disk. */
type Change = 'missing' | Pick<FileRow, 'size' | 'crc32'>

interface Walk {
  snapshot: Snapshot<ArchivedFile>
  /** By id, the files that the first walk found to be other on disk than in the catalog. */
  changes: Map<string, Change>
  isSecond: boolean
  buffer: Content['buffer']
  /** What the catalog's count of displaced files was when the snapshot was taken. */
  displacements: number
}

/** Each folder before its files, by name, and these before the folders in it. */
async function* walk(deps: Deps, walking: Walk, top: PlacedFolder): AsyncGenerator<ZipEntry> {
  for (const folder of foldersFrom(walking.snapshot, top)) {
    // Between folders, too: many may be empty.
    await deps.nextTurn()
    yield { path: `${folder.path}/`, size: 0, crc32: 0, modifiedAt: folder.updatedAt }
    yield* walkFiles(deps, walking, folder)
  }
}

async function* walkFiles(
  deps: Deps,
  { snapshot, changes, isSecond, buffer, displacements }: Walk,
  folder: PlacedFolder,
): AsyncGenerator<ZipEntry> {
  let stored: StoredFolder | undefined
  const find = ({ id, name }: ArchivedFile): StoredFile | undefined =>
    deps.catalog.files.displacements() === displacements ? stored?.openFile(name) : openById(deps, id)
  try {
    for (const slice of snapshot.filesIn(folder.id)) {
      await deps.nextTurn()
      // Not before there is a file: to open a folder, each one above it is looked at.
      stored ??= openFolder(deps, folder.id)
      for (const file of slice) {
        if (!isSecond && stored?.sizeOf(file.name) !== file.size) await noteChange(changes, file, find(file))
        const change = changes.get(file.id)
        if (change === 'missing') continue
        const found = change ? { ...file, ...change } : file
        yield entryOf(found, joinKey(folder.path, file.name), () =>
          contentOf(find(found), { size: found.size, buffer }),
        )
      }
    }
  } finally {
    stored?.close()
  }
}

/** A folder, wherever it is by now. */
function openFolder({ catalog, volume }: Deps, id: string): StoredFolder | undefined {
  const key = catalog.folders.keyOf(id)
  return key === undefined ? undefined : volume.openFolder(key)
}

/** @param opened The file, wherever it is by now. */
async function noteChange(
  changes: Walk['changes'],
  { id, size }: ArchivedFile,
  opened: StoredFile | undefined,
): Promise<void> {
  if (!opened) changes.set(id, 'missing')
  else if (opened.size === size) opened.close()
  else changes.set(id, { size: opened.size, crc32: (await opened.checksums()).crc32 })
}

/** What an entry is made of. */
const COLUMNS = ['id', 'name', 'size', 'crc32', 'updatedAt'] as const
type ArchivedFile = Pick<FileRow, (typeof COLUMNS)[number]>

const entryOf = (file: ArchivedFile, path: string, open: () => ZipContent): ZipEntry => ({
  path,
  size: file.size,
  crc32: file.crc32,
  modifiedAt: file.updatedAt,
  open,
})

/** A file's bytes, wherever it is by now. */
function openById(deps: Deps, id: string): StoredFile | undefined {
  const file = deps.catalog.files.byId(id)
  return file && deps.volume.openFile(keyOfFile(deps, file))
}

interface Content {
  size: number
  /** Where small files are read to, one after the other. */
  buffer: Uint8Array<ArrayBuffer>
}

/** A file is not there any more when it is its turn. */
export class FileGone extends Error {
  override readonly name = 'FileGone'

  constructor() {
    super('A file vanished while it was archived')
  }
}

/** All of an opened file, which must have the size that the archive has announced. */
function contentOf(opened: StoredFile | undefined, { size, buffer }: Content): ZipContent {
  if (!opened) throw new FileGone()
  if (opened.size !== size || size === 0) opened.close()
  if (opened.size !== size) throw new Error('A file changed while it was archived')
  return size === 0 ? new Uint8Array() : opened.body(0, size - 1, buffer)
}
