import type { Context } from '../../access/context.ts'
import { fileResponse } from '../../http/file-response.ts'
import { fileNotFound, keyOfFile, requireFile } from './service.ts'

/**
 * Responds with one file as an attachment, with validators whatever its visibility.
 *
 * @throws {Refusal} `not_found`, also when the bytes are missing; `precondition_failed`,
 *   `range_not_satisfiable`.
 */
export function downloadFile(deps: Context, id: string, request: Request): Response {
  const file = requireFile(deps, { id })
  const opened = deps.store.openFile(keyOfFile(deps, file))
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
