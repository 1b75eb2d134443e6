import { type Refusal, refuseInvalid } from '../platform/errors.ts'

/** Why a head that could be read is refused all the same: whom it is for, or where it ends, is in doubt (RFC 9112 §3.2 and §6.1). */
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

/** The characters of RFC 3986 §3.2.2 and of a port; whether they make sense is the URL parser's to say. */
const HOST_CHARACTERS = /^[\w.~!$&'()*+,;=%:[\]-]+$/

/** Two dots, or one in front: the URL parser takes both. */
const EMPTY_LABEL = /^\.|\.\./

let lastGood: string | undefined

/** Returns whether `text` can be the host, and maybe the port, of a request. Nearly all of them name the same. */
export function isHost(text: string): boolean {
  if (text === lastGood) return true
  const isGood = HOST_CHARACTERS.test(text) && !EMPTY_LABEL.test(text) && URL.canParse(`http://${text}`)
  if (isGood) lastGood = text
  return isGood
}
