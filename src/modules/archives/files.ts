import { distinctIds } from '../../access/batch.ts'
import type { TreeContext } from '../../access/context.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { FileRow, Work } from '../../store/rows.ts'
import { fileNotFound, keyOfFile, requireFile } from '../../views/files.ts'
import type { ZipEntry } from '../../zip/entry.ts'
import { ZipLength } from '../../zip/length.ts'
import { type Archive, type Attempt, ContentBuffer, entryOf, measure, openByRow } from './archive.ts'
import { OpenAhead } from './open-ahead.ts'

/** Number of files opened in a time slice. */
const SLICE_FILES = 50

/**
 * Archives the files with these ids, with paths from the deepest folder that all of them share.
 *
 * @throws {Refusal} `invalid`; `not-found` when any of them does not exist, or its bytes cannot be read.
 */
export async function archiveFiles(
  deps: TreeContext,
  ids: readonly string[],
  attempt: Attempt,
): Promise<Archive> {
  if (ids.length === 0) throw refuseInvalid('"ids" must not be empty')
  const files = await deps.store.read(() => locate(deps, distinctIds(ids, deps.config.maxDownloadIds)))
  const shared = sharedFolder(files.map(({ key }) => key))
  const entries: ZipEntry[] = []
  const length = new ZipLength()
  const buffer = new ContentBuffer()
  const ahead = new OpenAhead(
    files.map(({ file }) => file),
    attempt.placesAhead,
    (file) => openByRow(deps, file),
  )
  for (const [index, { file, key }] of files.entries()) {
    if (index % SLICE_FILES === SLICE_FILES - 1) await deps.nextTurn()
    assertConnected(attempt.leaving)
    const found = await measure(deps, file, () => openByRow(deps, file), attempt)
    if (!found) throw fileNotFound()
    const path = key.slice(shared === '' ? 0 : shared.length + 1)
    const entry = entryOf(found, path, { open: () => ahead.open(found), buffer })
    entries.push(entry)
    length.add(entry)
  }
  const name = shared.slice(shared.lastIndexOf('/') + 1)
  return {
    name: `${name || 'files'}.zip`,
    length: length.total(),
    entries,
    close: () => ahead[Symbol.dispose](),
  }
}

function* locate(deps: TreeContext, ids: readonly string[]): Work<{ file: FileRow; key: string }[]> {
  const located: { file: FileRow; key: string }[] = []
  for (const id of ids) {
    const file = yield* requireFile(deps, { id })
    located.push({ file, key: yield* keyOfFile(deps, file) })
  }
  return located
}

/** Returns the key of the deepest folder that holds all files at `keys`. */
function sharedFolder(keys: readonly string[]): string {
  const folders = keys.map((key) => key.split('/').slice(0, -1))
  const [first = [], ...others] = folders
  const differs = first.findIndex((name, depth) => others.some((folder) => folder[depth] !== name))
  return (differs === -1 ? first : first.slice(0, differs)).join('/')
}
