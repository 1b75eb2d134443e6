import * as T from 'typebox'
import { StartError } from './errors.ts'

const text = (options: { title: string; unset: string; pattern?: string; description: string }) =>
  T.String({ default: '', ...options })

const KINDS = ['varnish', 'nginx', 'fastly', 'cloudflare', 'bunny'] as const
export type CdnKind = (typeof KINDS)[number]

/** Seconds for which a shared cache keeps a file without a purge. */
const DAY_SECONDS = 86_400

/** Variables of a cache in front of the server. */
export const CdnVariables = {
  CDN_KIND: T.Union([T.Literal(''), ...KINDS.map((kind) => T.Literal(kind))], {
    default: '',
    title: 'Cache in front of the server: it keeps public files, and gets a purge when one changes.',
    unset: 'none',
    description: 'varnish, nginx, fastly, cloudflare or bunny',
  }),
  CDN_URL: text({
    title: 'Addresses of the caches that get purges; of a service, another address of its API.',
    unset: 'the API of the service',
    pattern: '^$|^https?://[^/?#@\\s,]+/?(\\s*,\\s*https?://[^/?#@\\s,]+/?)*$',
    description: 'http or https addresses without a path, separated by commas, such as http://127.0.0.1:6081',
  }),
  CDN_ZONE: text({
    title: 'Id of the Fastly service, the Cloudflare zone or the Bunny pull zone.',
    unset: 'none',
    pattern: '^$|^[A-Za-z0-9]{1,64}$',
    description: 'an id of letters and digits',
  }),
  CDN_TOKEN: text({
    title: 'API token of the service; Varnish and nginx get it as a bearer token.',
    unset: 'none',
    pattern: '^$|^[!-~]+$',
    description: 'a token without spaces',
  }),
  CDN_TAG_HEADER: text({
    title: 'Header of public files with their cache keys.',
    unset: 'the one that the kind of cache reads: `xkey`, `Surrogate-Key`, `Cache-Tag` or `CDN-Tag`',
    pattern: '^$|^[A-Za-z][A-Za-z0-9-]{0,63}$',
    description: 'the name of a header',
  }),
  CDN_MAX_AGE: T.Integer({
    default: DAY_SECONDS,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    title: 'How long that cache keeps a public file without a purge (`s-maxage`).',
    description: 'a whole number of seconds',
  }),
}

type Variables = T.Static<T.TObject<typeof CdnVariables>>

/** Cache in front of the server. */
export interface CdnConfig {
  kind: CdnKind
  /** Origins that get purges. */
  urls: string[]
  zone: string
  token: string
  /** Header with the cache keys; `undefined` for a cache that knows addresses only. */
  tagHeader: string | undefined
  maxAgeSeconds: number
  /** Purges that a change of a folder needs: one, or one for each file as well. */
  owes: 'folders' | 'files'
}

/** Properties of each kind: its header of cache keys, and its public API, if it is a service. */
const FACTS: Record<CdnKind, { tagHeader?: string; api?: string }> = {
  varnish: { tagHeader: 'xkey' },
  nginx: {},
  fastly: { tagHeader: 'Surrogate-Key', api: 'https://api.fastly.com' },
  cloudflare: { tagHeader: 'Cache-Tag', api: 'https://api.cloudflare.com' },
  bunny: { tagHeader: 'CDN-Tag', api: 'https://api.bunny.net' },
}

/**
 * Returns the cache of the configuration; `undefined` when it has none.
 *
 * @throws {StartError} with the variables that are missing.
 */
export function readCdn(variables: Variables): CdnConfig | undefined {
  const { CDN_KIND: kind, CDN_ZONE: zone, CDN_TOKEN: token } = variables
  if (kind === '') return undefined
  const { api, tagHeader } = FACTS[kind]
  const missing = (api === undefined ? ['CDN_URL'] : ['CDN_ZONE', 'CDN_TOKEN']).filter(
    (name) => variables[name as keyof Variables] === '',
  )
  if (missing.length > 0)
    throw new StartError(
      `${missing.join(' and ')} must be set: CDN_KIND ${kind} needs ${missing.length === 1 ? 'it' : 'them'}`,
    )
  const urls = (variables.CDN_URL || (api ?? '')).split(',')
  return {
    ...{ kind, zone, token },
    urls: urls.map((url) => new URL(url.trim()).origin),
    tagHeader: variables.CDN_TAG_HEADER || tagHeader,
    maxAgeSeconds: variables.CDN_MAX_AGE,
    owes: kind === 'nginx' ? 'files' : 'folders',
  }
}
