import type { FileRow } from '../catalog/files.ts'
import type { Snapshot } from '../catalog/lists.ts'
import type { Deps } from '../deps.ts'
import { refuseInvalid } from '../errors.ts'
import { distinctIds } from '../files/batch.ts'
import { fileNotFound, keyOfFile } from '../files/service.ts'
import { requireFolder } from '../folders/service.ts'
import { joinKey } from '../volume/names.ts'
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
  for (const { file, key } of files) {
    const entry = fileEntry(deps, file, key.slice(shared === '' ? 0 : shared.length + 1))
    if (!entry) throw fileNotFound()
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
export async function archiveFolder(deps: Deps, which: { id?: string; key?: string }): Promise<Archive> {
  const folder = requireFolder(deps, which)
  const snapshot = deps.catalog.lists.snapshot()
  const close = () => snapshot[Symbol.dispose]()
  try {
    // The tree is walked twice, over the same snapshot: the length is told before the first byte.
    const missing = new Set<string>()
    const length = new ZipLength()
    for await (const entry of walk(deps, { snapshot, missing }, { ...folder, path: folder.name }))
      length.add(entry)
    const entries = walk(deps, { snapshot, missing, isSecond: true }, { ...folder, path: folder.name })
    return { name: `${folder.name}.zip`, length: length.total(), entries, close }
  } catch (error) {
    close()
    throw error
  }
}

interface Walk {
  snapshot: Snapshot
  /** Ids of the files that the first walk left out. */
  missing: Set<string>
  isSecond?: boolean
}

/** The folder itself, its files by name, then its folders by name. */
async function* walk(
  deps: Deps,
  walking: Walk,
  folder: { id: string; path: string; updatedAt: number },
): AsyncGenerator<ZipEntry> {
  const { snapshot, missing, isSecond } = walking
  yield { path: `${folder.path}/`, size: 0, crc32: 0, modifiedAt: folder.updatedAt }
  for (const slice of snapshot.filesIn(folder.id)) {
    // Other requests get their turn between slices.
    await new Promise(setImmediate)
    for (const file of slice) {
      if (missing.has(file.id)) continue
      const path = joinKey(folder.path, file.name)
      const entry = isSecond ? entryOf(deps, file, path) : fileEntry(deps, file, path)
      if (entry) yield entry
      else missing.add(file.id)
    }
  }
  for (const { id, name, updatedAt } of snapshot.foldersIn(folder.id)) {
    yield* walk(deps, walking, { id, path: joinKey(folder.path, name), updatedAt })
  }
}

/** A file's entry, or `undefined` when its bytes are missing. */
function fileEntry(deps: Deps, file: FileRow, path: string): ZipEntry | undefined {
  const opened = deps.volume.openFile(keyOfFile(deps, file))
  opened?.close()
  return opened && entryOf(deps, file, path)
}

const entryOf = (deps: Deps, file: FileRow, path: string): ZipEntry => ({
  path,
  size: file.size,
  crc32: file.crc32,
  modifiedAt: file.updatedAt,
  open: () => openContent(deps, file),
})

/** The bytes of a file, wherever it is by the time its turn comes. */
function openContent(deps: Deps, { id, size }: FileRow): ZipContent {
  const file = deps.catalog.files.byId(id)
  const opened = file && deps.volume.openFile(keyOfFile(deps, file))
  if (!opened) throw new Error('A file vanished while it was archived')
  if (opened.size !== size || size === 0) opened.close()
  if (opened.size !== size) throw new Error('A file changed while it was archived')
  return size === 0 ? new Uint8Array() : opened.body(0, size - 1)
}
