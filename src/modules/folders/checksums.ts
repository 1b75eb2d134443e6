import type { Context } from '../../access/context.ts'
import { Slices } from '../../api/json-stream.ts'
import { joinKey } from '../../platform/names.ts'
import type { Snapshot } from '../../store/rows.ts'
import { foldersFrom, type NamedFolder, type PlacedFolder, requireFolder } from '../../views/folders.ts'
import { streamResponse } from '../../views/lists.ts'
import type { FileChecksum } from './model.ts'

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
  return streamResponse(deps, request, async (snapshot) => {
    const { id, updatedAt } = await snapshot.read(() => requireFolder({ store: snapshot }, which))
    const top = { id, path: (await snapshot.folders.keyOf(id)) ?? '', updatedAt }
    return { files: new Slices(checksums(snapshot, top)) }
  })
}

const COLUMNS = ['id', 'name', 'size', 'sha256', 'visibility'] as const

async function* checksums(snapshot: Snapshot, top: PlacedFolder): AsyncGenerator<FileChecksum[]> {
  const filesIn = snapshot.filesIn(COLUMNS)
  for await (const folder of foldersFrom(snapshot, top)) {
    // Ends a time slice, also between empty folders.
    yield []
    for await (const slice of filesIn(folder.id))
      yield slice.map(({ id, name, ...content }) => ({ id, key: joinKey(folder.path, name), ...content }))
  }
}
