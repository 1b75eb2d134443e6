import type { Context } from '../../access/context.ts'
import type { ByteRange } from '../../http/file-response.ts'
import { bodyHeaders } from '../../http/file-response.ts'
import { CachedResponse, fieldText, headText, type WireResponse } from '../../http/wire.ts'
import type { FileAccess } from '../../store/rows.ts'
import { publicCaching, tagHeaders } from '../../views/cdn.ts'
import type { Grant, HostedTarget } from './access.ts'

/** Returns how a file is shown to a request that may read it. */
export function presentation(
  { store, clock, config: { cdn } }: Pick<Context, 'store' | 'clock' | 'config'>,
  { key, query }: HostedTarget,
  { visibility }: FileAccess,
) {
  const isPublic = visibility === 'public'
  return {
    name: key.slice(key.lastIndexOf('/') + 1),
    disposition: query.get('download') === '1' ? ('attachment' as const) : ('inline' as const),
    cacheControl: isPublic
      ? publicCaching(store.settings.current().hostingCacheSeconds, cdn, key)
      : 'private, no-store',
    revalidatable: isPublic,
    ...(isPublic && cdn && { others: tagHeaders(cdn, key) }),
    now: clock.now(),
  }
}

/** One state of a file, and the reason for which a request may read it. */
export interface HostedState<Granted extends Grant> {
  fileId: string
  /** Time of the row's last change; a replaced file has a later one. */
  updatedAt: number
  grant: Granted
  key: string
  blobId: string | null
  /** Length in bytes. */
  size: number
  /** Modification time in milliseconds since 1970. */
  mtimeMs: number
  mediaType: string
  cacheControl: string
  /** `undefined` for a private file, which no cache may keep. */
  etag: string | undefined
  /** Time in `Last-Modified`, in milliseconds since 1970; 0 for a private file. */
  lastModified: number
  /** Expiry of the link that opened a private file, in milliseconds since 1970. */
  expiresAt: number
  /** Header fields of every response, as `fieldText` returns them. */
  fields: string
  /** Returns true if the file is still what its address shows; missing for the file at a key. */
  isShown?: (() => boolean) | undefined
  onDelivered: WireResponse['onDelivered']
}

const NO_BODY = new Uint8Array()

/** One state of a file, which makes the responses to requests for it. */
export class HostedFile<Granted extends Grant = Grant> {
  readonly state: HostedState<Granted>

  constructor(state: HostedState<Granted>) {
    this.state = state
  }

  notModified(date: string): CachedResponse {
    const { fields, onDelivered } = this.state
    return new CachedResponse({ status: 304, fields, date, body: NO_BODY, onDelivered })
  }

  /** Makes a response that may be sent many times. */
  reusable(part: ByteRange | 'whole', body: Uint8Array, date: string): CachedResponse {
    const { onDelivered } = this.state
    return new CachedResponse({ ...this.#head(part), date, body, onDelivered })
  }

  /** Makes a response that is sent once. */
  once(part: ByteRange | 'whole', body: Uint8Array | ReadableStream<Uint8Array>, date: string): WireResponse {
    const { size, onDelivered } = this.state
    const head = this.headBytes(part, date)
    if (body instanceof Uint8Array)
      return { bytes: Buffer.concat([head, body]), bodyBytes: body.length, onDelivered }
    const length = part === 'whole' ? size : part.last - part.first + 1
    return { bytes: head, bodyBytes: 0, rest: { stream: body, length }, onDelivered }
  }

  headBytes(part: ByteRange | 'whole', date: string): Buffer {
    const { status, fields } = this.#head(part)
    return Buffer.from(headText(status, fields, date), 'latin1')
  }

  #head(part: ByteRange | 'whole') {
    const { size, mediaType, fields } = this.state
    const ofBody = Object.entries(bodyHeaders(part, size, mediaType)).flat()
    return { status: part === 'whole' ? 200 : 206, fields: fields + fieldText(ofBody) }
  }
}
