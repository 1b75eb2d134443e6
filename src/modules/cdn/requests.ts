import type { Notice } from '../../platform/addresses.ts'
import type { CdnConfig, CdnKind } from '../../platform/cdn.ts'
import { isFolderPath, tagOf } from '../../views/cdn.ts'

/** Request for a purge of some paths. */
export type Purge = Omit<Notice, 'leaving'>

interface Protocol {
  /** Maximum paths of one request. */
  perRequest: number
  /** Maximum paths that are purged one by one. More become a purge of the folder above all of them. */
  most: number
  purge: (cdn: CdnConfig, url: string, paths: readonly string[]) => Purge
  /** Statuses beside 2xx that mean that the cache has nothing of that path. */
  absent?: readonly number[]
}

const tagsOf = (paths: readonly string[]): string[] => paths.map(tagOf)

const bearer = ({ token }: CdnConfig): Record<string, string> =>
  token === '' ? {} : { authorization: `Bearer ${token}` }

const json = (url: string, headers: Record<string, string>, body: object): Purge => ({
  url,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Returns the address of a file; that of a folder ends with the asterisk of NGINX Plus for everything below it. */
const addressOf = (path: string): string =>
  `/api/hosting/${path.split('/').map(encodeURIComponent).join('/')}${isFolderPath(path) ? '*' : ''}`

export const PROTOCOLS: Readonly<Record<CdnKind, Protocol>> = {
  /** `PURGE` with the keys in the header of the responses, as the manual of vmod_xkey has it (varnish-modules 0.20). */
  varnish: {
    ...{ perRequest: 100, most: 1000 },
    purge: (cdn, url, paths) => ({
      ...{ url, method: 'PURGE' },
      headers: { ...bearer(cdn), [cdn.tagHeader ?? 'xkey']: tagsOf(paths).join(' ') },
    }),
  },
  /**
   * `PURGE` of an address: `proxy_cache_purge` of NGINX Plus (nginx.org/en/docs/http/ngx_http_proxy_module.html) and of the
   * module ngx_cache_purge, whose status is 404 or, from 2.5 on, 412 when it has nothing of it.
   */
  nginx: {
    ...{ perRequest: 1, most: Number.POSITIVE_INFINITY, absent: [404, 412] },
    purge: (cdn, url, [path = '']) => ({ url: url + addressOf(path), method: 'PURGE', headers: bearer(cdn) }),
  },
  /** https://www.fastly.com/documentation/reference/api/purging/: "Purge multiple surrogate key tags", up to 256. */
  fastly: {
    ...{ perRequest: 256, most: 1000 },
    purge: (cdn, url, paths) =>
      json(
        `${url}/service/${cdn.zone}/purge`,
        { 'fastly-key': cdn.token, accept: 'application/json' },
        {
          surrogate_keys: tagsOf(paths),
        },
      ),
  },
  /** https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/: up to 100 tags. */
  cloudflare: {
    ...{ perRequest: 100, most: 1000 },
    purge: (cdn, url, paths) =>
      json(`${url}/client/v4/zones/${cdn.zone}/purge_cache`, bearer(cdn), { tags: tagsOf(paths) }),
  },
  /** https://docs.bunny.net/api-reference/core/pull-zone/purge-cache: one tag. */
  bunny: {
    ...{ perRequest: 1, most: 50 },
    purge: (cdn, url, [path = '']) =>
      json(`${url}/pullzone/${cdn.zone}/purgeCache`, { accesskey: cdn.token }, { CacheTag: tagOf(path) }),
  },
}

/** Returns the path of the folder above all of some paths. */
export function folderAbove(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  let above = first.slice(0, first.lastIndexOf('/') + 1)
  for (const path of others)
    while (!path.startsWith(above)) above = above.slice(0, above.lastIndexOf('/', above.length - 2) + 1)
  return above
}
