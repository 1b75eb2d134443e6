import { errorCode, Refusal, refuseInvalid } from '../errors.ts'

/** What of a request decides where it ends and whom it is for. */
export interface Framing {
  /** The `Host` lines, joined by commas; HTTP/1.0 knew none. */
  host: string | null
  transferEncoding: string | null
  isHttp10: boolean
}

/** Why a request that the parser let through is refused all the same (RFC 9112 §3.2 and §6.1). */
export function framingProblem({ host, transferEncoding, isHttp10 }: Framing): Refusal | undefined {
  const isHostGood = host === null ? isHttp10 : isHost(host)
  if (!isHostGood) return refuseInvalid('The Host header must name one host')
  if (transferEncoding === null) return undefined
  if (isHttp10) return refuseInvalid('Transfer-Encoding needs HTTP/1.1')
  return transferEncoding.toLowerCase() === 'chunked'
    ? undefined
    : refuseInvalid('Transfer-Encoding must be chunked')
}

/** The characters of RFC 3986 §3.2.2 and of a port; whether they make sense is the URL parser's to say. */
const HOST_CHARACTERS = /^[\w.~!$&'()*+,;=%:[\]-]+$/

let lastGood: string | undefined

/** Nearly every request names the same host. */
function isHost(text: string): boolean {
  if (text === lastGood) return true
  const isGood = HOST_CHARACTERS.test(text) && URL.canParse(`http://${text}`)
  if (isGood) lastGood = text
  return isGood
}

/** What is wrong with a request that the parser could not read. */
export function unreadable(error: unknown): Refusal {
  switch (errorCode(error)) {
    case 'HPE_INVALID_METHOD':
      return new Refusal('method_not_allowed', 'The method is not known', {
        headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, POST, PUT' },
      })
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('header_too_large', 'The request line and header lines are too long')
    default:
      return refuseInvalid('The request is not valid HTTP')
  }
}
