import type { Deps } from '../deps.ts'
import { textResponse } from '../files/list.ts'
import { joinKey } from '../volume/names.ts'
import type { FileChecksum, NamedFolder } from './model.ts'
import { requireFolder } from './service.ts'
import { foldersFrom, type PlacedFolder } from './walk.ts'

/**
 * Answers with every file below a folder and what its content is, by key, for clients that keep a copy of it.
 * The tree is read as it stands now, as fast as the client takes it.
 *
 * @throws {Refusal} `not_found`.
 */
export function checksumsResponse(deps: Pick<Deps, 'catalog' | 'nextTurn'>, which: NamedFolder): Response {
  const { id, updatedAt } = requireFolder(deps, which)
  return textResponse(deps, list(deps, { id, path: deps.catalog.folders.keyOf(id) ?? '', updatedAt }))
}

const COLUMNS = ['id', 'name', 'size', 'sha256', 'visibility'] as const

function* list({ catalog }: Pick<Deps, 'catalog'>, top: PlacedFolder): Generator<string> {
  using snapshot = catalog.lists.snapshot(COLUMNS)
  yield '{"data":{"files":['
  let separator = ''
  for (const folder of foldersFrom(snapshot, top)) {
    // Other requests get their turn between folders, also between empty ones.
    yield ''
    for (const slice of snapshot.filesIn(folder.id)) {
      const files = slice.map(
        ({ id, name, ...content }): FileChecksum => ({ id, key: joinKey(folder.path, name), ...content }),
      )
      yield separator + JSON.stringify(files).slice(1, -1)
      separator = ','
    }
  }
  yield ']},"error":null}'
}
