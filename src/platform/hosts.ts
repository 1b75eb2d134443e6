import { domainToASCII } from 'node:url'

/** Maximum length of a host name in characters. */
const MAX_HOST = 253
/** Matches a host name of labels (RFC 1123 §2.1). The last one begins with a letter, so that it is no address. */
const HOST = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/
/** Matches characters of a URL around a host. */
const AROUND = /[\s/\\?#@:%[\]]/

/** Returns a host name in ASCII and lower case (IDNA, UTS #46); `undefined` for an address, and for any other text. */
export function hostName(text: string): string | undefined {
  if (AROUND.test(text)) return undefined
  const name = domainToASCII(text.replace(/\.$/, ''))
  return name.length <= MAX_HOST && HOST.test(name) ? name : undefined
}

/** Returns true for a host that is a domain, or below it. */
export const isAtOrBelowHost = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)

/** Returns the host of an origin without its port; `undefined` for the scheme of an app. */
export const hostOfOrigin = (origin: string): string | undefined =>
  (URL.canParse(origin) && new URL(origin).hostname) || undefined

/**
 * Returns true for two hosts that probably belong to one registrable domain, at which cookies can be set for both. The list
 * of public suffixes is not at hand: it takes two labels, or three where the second is as short as that of `co.uk`.
 */
export function areSameSite(one: string, other: string): boolean {
  const [a, b] = [one, other].map((host) => {
    const labels = host.split('.')
    const [second = '', top = ''] = labels.slice(-2)
    return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
  })
  return a === b && !isAtOrBelowHost(one, 'localhost')
}

/** Returns true for an instance whose public address is https. */
export const isSecure = ({ baseUrl }: { baseUrl: string }): boolean => baseUrl.startsWith('https://')
