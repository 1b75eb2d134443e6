import { type Refusal, refuseInvalid } from '../platform/errors.ts'

/** Returns the reason to refuse a readable head whose target or end is in doubt (RFC 9112 §3.2 and §6.1). */
export function framingProblem(
  { host, 'transfer-encoding': coding }: Readonly<Record<string, string>>,
  isHttp10: boolean,
): Refusal | undefined {
  const isHostGood = host === undefined ? isHttp10 : isHost(host)
  if (!isHostGood) return refuseInvalid('The Host header must name one host')
  if (coding === undefined) return undefined
  if (isHttp10) return refuseInvalid('Transfer-Encoding needs HTTP/1.1')
  return coding.toLowerCase() === 'chunked' ? undefined : refuseInvalid('Transfer-Encoding must be chunked')
}

/** Characters of RFC 3986 §3.2.2 and of a port. The URL parser checks the rest. */
const HOST_CHARACTERS = /^[\w.~!$&'()*+,;=%:[\]-]+$/

/** Matches two dots, or one in front: the URL parser accepts both. */
const EMPTY_LABEL = /^\.|\.\./

let lastGood: string | undefined

/**
 * Returns true when `text` can be the host, with an optional port, of a request. Caches the last one, because
 * nearly all requests name the same.
 */
export function isHost(text: string): boolean {
  if (text === lastGood) return true
  const isGood = HOST_CHARACTERS.test(text) && !EMPTY_LABEL.test(text) && URL.canParse(`http://${text}`)
  if (isGood) lastGood = text
  return isGood
}
