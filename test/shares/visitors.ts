import type { Share, ShareVisit } from '../../src/client/types.ts'
import type { Api } from '../support/api.ts'
import { type Holdfast, messageOf } from '../support/holdfast.ts'
import { metadata, VERSION } from '../uploads/tus.ts'

export const PASSWORD = 'low tide at noon'

export const createShare = async (api: Api, rules: object) =>
  (await api.data<{ share: Share }>('POST', '/shares', rules)).share

/** Returns the shares of an account, or of all with `?all=1`. */
export const sharesOf = async (api: Api, query = '') =>
  (await api.data<{ shares: Share[] }>('GET', `/shares${query}`)).shares

export const shareOf = async (api: Api, id: string) => (await sharesOf(api)).find((share) => share.id === id)

export const visitsOf = async (api: Api, id: string) =>
  (await api.data<{ visits: ShareVisit[] }>('GET', `/shares/visits?id=${id}`)).visits

let boxes = 0
/** Creates a drop box with a folder of its own. */
export async function createBox(api: Api, rules: object = {}) {
  boxes += 1
  const folder = await api.createFolder(`box ${boxes}`)
  const box = { canRead: false, canWrite: true, folderId: folder.id, ...rules }
  return { ...(await createShare(api, box)), folder }
}

/** Returns the cookie of a visitor from a response, as request headers. */
export const cookieOf = (response: Response) => ({
  Cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
})

/** Returns the requests by which visitors begin uploads. */
export const visitorUploadsOf = (holdfast: Pick<Holdfast, 'fetch'>) => {
  const begin = (
    slug: string,
    name: string,
    length: number,
    { headers = {}, fields = {} }: { headers?: Record<string, string>; fields?: Record<string, string> } = {},
  ) =>
    holdfast.fetch(`/api/s/${slug}/uploads`, {
      method: 'POST',
      headers: {
        ...VERSION,
        'Upload-Length': String(length),
        'Upload-Metadata': metadata({ filename: name, ...fields }),
        ...headers,
      },
    })
  return {
    begin,
    /** Begins an upload, and returns its path and the cookie of its visitor. */
    begun: async (slug: string, name: string, length: number, headers: Record<string, string> = {}) => {
      const response = await begin(slug, name, length, { headers })
      if (response.status !== 201) throw new Error(await messageOf(response))
      const path = response.headers.get('location') ?? ''
      return { path, cookie: headers['Cookie'] ? headers : cookieOf(response) }
    },
  }
}
