import type { Context } from '../../access/context.ts'
import { fileResponse } from '../../http/file-response.ts'
import type { FileRow, Work } from '../../store/rows.ts'
import { fileNotFound, keyOfFile, requireFile } from '../../views/files.ts'

/**
 * Responds with one file as an attachment, with validators whatever its visibility.
 *
 * @throws {Refusal} `not_found`, also when the bytes are missing; `precondition_failed`,
 *   `range_not_satisfiable`.
 */
export async function downloadFile(deps: Context, id: string, request: Request): Promise<Response> {
  const { file, key } = await deps.store.read(() => locate(deps, id))
  const opened = await deps.store.openFile({ ...file, key })
  if (!opened) throw fileNotFound()
  return fileResponse(request, opened, {
    name: file.name,
    mediaType: file.mimeType,
    disposition: 'attachment',
    cacheControl: 'private, max-age=0, must-revalidate',
    revalidatable: true,
    now: deps.clock.now(),
  })
}

function* locate(deps: Context, id: string): Work<{ file: FileRow; key: string }> {
  const file = yield* requireFile(deps, { id })
  return { file, key: yield* keyOfFile(deps, file) }
}
