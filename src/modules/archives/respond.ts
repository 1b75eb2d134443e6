import type { Context } from '../../access/context.ts'
import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { contentDisposition } from '../../http/file-response.ts'
import { Slots } from '../../platform/slots.ts'
import type { Archive, Attempt } from './archive.ts'
import { createPlacesAhead } from './open-ahead.ts'
import { begin, streamOf } from './send.ts'

/** Maximum archives planned at a time: more would not be ready sooner, and each takes memory for what it reads. */
const MAX_MEASURED = 2
/** Maximum requests that wait for that. */
const MAX_WAITING = 64
const MAX_WAIT_MS = 20_000

/** Responds to a request with the archive that `make` plans. */
export type ArchiveResponder = (
  request: Request,
  make: (attempt: Attempt) => Promise<Archive>,
) => Promise<Response>

/** Creates the responder of all routes that send archives, which share its limits. */
export function createArchiveResponder(deps: Pick<Context, 'store'>): ArchiveResponder {
  const measuring = new Slots({
    count: MAX_MEASURED,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: 'Too many archives are being prepared, try again soon',
  })
  const placesAhead = createPlacesAhead()
  return async (request, make) => {
    const leaving = leavingOf(request)
    const release = await measuring.take(leaving)
    try {
      const damaged = new Set(await deps.store.integrity.fileIds())
      const client = { leaving, placesAhead, damaged }
      if (exchangeOf(request).isHead) {
        const archive = await make({ ...client, unreadable: new Set(), isLast: true })
        archive.close()
        return new Response(null, { headers: headersOf(archive) })
      }
      const archive = await begin(deps, make, client)
      return new Response(streamOf(archive), { headers: headersOf(archive) })
    } finally {
      release()
    }
  }
}

const headersOf = ({ name, length }: Archive) => ({
  'Content-Type': 'application/zip',
  'Content-Length': String(length),
  'Content-Disposition': contentDisposition('attachment', name),
  'Cache-Control': 'private, no-store',
})
