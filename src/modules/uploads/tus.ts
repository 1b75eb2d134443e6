import { exchangeOf } from '../../http/exchange.ts'
import type { ResumableRow } from '../../store/rows.ts'
import { beginUpload } from './create.ts'
import {
  assertPiece,
  assertVersion,
  CHECKSUM_ALGORITHMS,
  readChecksum,
  readCount,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from './protocol.ts'
import type { UploadsContext } from './resumables.ts'
import type { Sender } from './sender.ts'
import { continueUpload, endUpload, forgetUpload, requireUpload } from './service.ts'

/** Requests of tus 1.0.0 for the uploads of any sender. */
export class Tus {
  readonly #deps: UploadsContext

  constructor(deps: UploadsContext) {
    this.#deps = deps
  }

  /** Responds with what the server supports. */
  describe(): Response {
    const headers = {
      'Tus-Version': TUS_VERSION,
      'Tus-Extension': TUS_EXTENSIONS,
      'Tus-Max-Size': String(this.#deps.store.settings.current().maxUploadBytes),
      'Tus-Checksum-Algorithm': CHECKSUM_ALGORITHMS.join(','),
    }
    return new Response(null, { status: 204, headers })
  }

  /** Begins an upload. @throws {Refusal} as `beginUpload`. */
  begin(sender: Sender, request: Request): Promise<ResumableRow> {
    assertVersion(request.headers)
    return beginUpload(this.#deps, sender, request)
  }

  /**
   * Returns the progress of an upload. A HEAD comes from a client about to continue, so whatever it sent before
   * must be finished.
   */
  async find(sender: Sender, id: string, request: Request): Promise<ResumableRow> {
    const find = () => requireUpload(this.#deps, sender, id)
    if (!exchangeOf(request).isHead) return find()
    assertVersion(request.headers)
    return this.#deps.resumables.whenFree((await find()).id, find)
  }

  /** Appends a piece. @throws {Refusal} as `continueUpload`. */
  continue(sender: Sender, id: string, request: Request): Promise<ResumableRow> {
    assertVersion(request.headers)
    assertPiece(request.headers)
    const offset = readCount(request.headers, 'Upload-Offset')
    const checksum = readChecksum(request.headers)
    return continueUpload(this.#deps, sender, id, { request, offset, checksum, canGoOn: true })
  }

  /** Removes an unfinished upload of a visitor, if this is one, because another one has taken its place. */
  async forget(visitor: string, id: string): Promise<void> {
    await this.#deps.resumables.alone(id, async () => {
      const row = await this.#deps.store.resumables.byId(id)
      if (row?.visitor === visitor && row.fileId === null) await forgetUpload(this.#deps, id)
    })
  }

  /** Ends an upload. @throws {Refusal} `not-found`. */
  end(sender: Sender, id: string, request: Request): Promise<void> {
    assertVersion(request.headers)
    return endUpload(this.#deps, sender, id)
  }
}
