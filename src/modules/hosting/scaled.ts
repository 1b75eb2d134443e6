import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import type { OpenedFile } from '../../store/bytes.ts'
import type { Grant, Granted, HostedTarget } from './access.ts'
import type { HostingContext } from './context.ts'

/** Values of `width`. Few, so that a file has few small pictures. */
const WIDTHS = ['200', '400', '800', '1600']

interface Original {
  target: HostedTarget
  granted: Granted<Grant>
  opened: OpenedFile
}

/**
 * Scales a picture to the width in its query, and closes the file. `undefined` for a file that is no picture, or a damaged
 * one: then the response is the file itself, which stays open.
 *
 * @throws {Refusal} `invalid`, or `unavailable` when too many pictures wait or this one took too long.
 */
export async function scale(
  { pictures }: HostingContext,
  request: Request,
  { target: { key, query }, granted: { grant, file }, opened }: Original,
) {
  if (!pictures.isPicture(file)) return undefined
  let isTaken = false
  try {
    const width = widthOf(query)
    const address = rateLimitBucket(exchangeOf(request).clientAddress)
    const asking = { client: leavingOf(request), share: grant === 'member' ? undefined : address }
    const { bytes, wasEnded } = await pictures.scaled({ ...file, key }, width, asking)
    if (wasEnded) throw refuseSlow()
    isTaken = bytes.length === 0
    if (isTaken) return undefined
    const { size, mtimeMs } = opened
    const name = key.slice(key.lastIndexOf('/') + 1)
    return {
      picture: {
        ...{ size: bytes.length, mtimeMs },
        body: (first: number, last: number) => bytes.subarray(first, last + 1),
        close: () => {},
      },
      options: {
        name: `${name.slice(0, name.lastIndexOf('.'))}.webp`,
        mediaType: 'image/webp',
        madeOf: { size, mtimeMs, tag: `w${width}-${pictures.encoder}` },
      },
    }
  } finally {
    if (!isTaken) opened.close()
  }
}

function widthOf(query: URLSearchParams): number {
  const [width = '', ...others] = query.getAll('width')
  if (others.length > 0 || !WIDTHS.includes(width))
    throw refuseInvalid(`"width" must be ${WIDTHS.slice(0, -1).join(', ')} or ${WIDTHS.at(-1)}, once`)
  return Number(width)
}

/** Returns the refusal of a picture for as long as its decoder is noted as ended. */
const refuseSlow = () =>
  new Refusal('unavailable', 'The picture could not be scaled in time', {
    headers: { 'Retry-After': '600' },
  })
