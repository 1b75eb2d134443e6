import type { Snapshot } from '../catalog/lists.ts'
import type { Deps } from '../deps.ts'
import { textResponse } from '../files/list.ts'
import { joinKey } from '../volume/names.ts'
import type { FileChecksum } from './model.ts'
import { requireFolder } from './service.ts'

/**
 * Answers with every file below a folder and what its content is, by key, for clients that keep a copy of it.
 * The tree is read as it stands now, as fast as the client takes it.
 *
 * @throws {Refusal} `not_found`.
 */
export function checksumsResponse(
  deps: Pick<Deps, 'catalog'>,
  which: { id?: string; key?: string },
): Response {
  const folder = requireFolder(deps, which)
  return textResponse(list(deps, { id: folder.id, key: deps.catalog.folders.keyOf(folder.id) ?? '' }))
}

interface Place {
  id: string
  key: string
}

function* list({ catalog }: Pick<Deps, 'catalog'>, top: Place): Generator<string> {
  using snapshot = catalog.lists.snapshot()
  yield '{"data":{"files":['
  let separator = ''
  for (const files of walk(snapshot, top)) {
    yield separator + JSON.stringify(files).slice(1, -1)
    separator = ','
  }
  yield ']},"error":null}'
}

const COLUMNS = ['id', 'name', 'size', 'sha256', 'visibility'] as const

function* walk(snapshot: Snapshot, { id, key }: Place): Generator<FileChecksum[]> {
  for (const slice of snapshot.filesIn(id, COLUMNS)) {
    yield slice.map(({ id, name, size, sha256, visibility }) => ({
      id,
      key: joinKey(key, name),
      size,
      sha256,
      visibility,
    }))
  }
  for (const child of snapshot.foldersIn(id))
    yield* walk(snapshot, { id: child.id, key: joinKey(key, child.name) })
}
