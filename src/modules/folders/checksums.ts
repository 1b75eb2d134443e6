import type { Context } from '../../access/context.ts'
import { joinKey } from '../../platform/names.ts'
import type { Snapshot } from '../../store/rows.ts'
import { textResponse } from '../files/list.ts'
import type { FileChecksum, NamedFolder } from './model.ts'
import { requireFolder } from './service.ts'
import { foldersFrom, type PlacedFolder } from './walk.ts'

/**
 * Streams the checksum of every file below a folder, by key, from one snapshot, for clients that mirror it.
 *
 * @throws {Refusal} `not_found`, `unavailable`.
 */
export function checksumsResponse(
  deps: Pick<Context, 'store' | 'nextTurn'>,
  request: Request,
  which: NamedFolder,
): Promise<Response> {
  return textResponse(deps, request, (snapshot) => {
    const { id, updatedAt } = requireFolder({ store: snapshot }, which)
    return list(deps, snapshot, { id, path: snapshot.keyOf(id) ?? '', updatedAt })
  })
}

const COLUMNS = ['id', 'name', 'size', 'sha256', 'visibility'] as const

function* list({ store }: Pick<Context, 'store'>, snapshot: Snapshot, top: PlacedFolder): Generator<string> {
  const filesIn = store.lists.inFolders(snapshot, COLUMNS)
  yield '{"data":{"files":['
  let separator = ''
  for (const folder of foldersFrom(snapshot, top)) {
    // Yields between folders, empty ones included.
    yield ''
    for (const slice of filesIn(folder.id)) {
      const files = slice.map(
        ({ id, name, ...content }): FileChecksum => ({ id, key: joinKey(folder.path, name), ...content }),
      )
      yield separator + JSON.stringify(files).slice(1, -1)
      separator = ','
    }
  }
  yield ']},"error":null}'
}
