import { HoldfastError } from '../../../../client/index.ts'
import { recheckSession } from '../../../api/session.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import type { FileItem } from '../items.ts'
import { sourceOf } from './kind.ts'

interface Wanted {
  signal?: AbortSignal | undefined
  /** Bytes from `start` to before `end`; all by default. */
  range?: { start: number; end: number }
}

/** Requests the content of a file. @throws {HoldfastError} for any response but the content. */
export async function readContent(file: Pick<FileItem, 'url'>, { signal, range }: Wanted): Promise<Response> {
  const headers = range && { Range: `bytes=${range.start}-${range.end - 1}` }
  // Chromium answers a longer range of a replaced file with the old bytes of a shorter one.
  const options: RequestInit = { cache: 'no-store', ...(signal && { signal }), ...(headers && { headers }) }
  const response = await fetch(sourceOf(file), options).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new HoldfastError(texts.errors.unreachable, { status: 0, code: 'unreachable', cause })
  })
  if (response.ok) return response
  const { status } = response
  if (status !== 401 && status !== 404) throw new HoldfastError(texts.errors.unexpected, { status })
  // Hosting hides private files from strangers, so a session that ended looks like a missing file.
  await recheckSession()
  throw new HoldfastError(`${previewTexts.notFound}. ${previewTexts.notFoundText}`, { status: 404 })
}
