import { childrenOf, readXml, textOf, type XmlElement } from '../../src/xml/read.ts'
import { writeElement } from '../../src/xml/write.ts'
import type { Holdfast } from './holdfast.ts'

type Body = NonNullable<RequestInit['body']>

/** Returns the header of credentials. */
export const basic = (password: string, name = 'any name'): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

/** Property of a resource, as its name in Clark notation, and its content: text, or XML. */
export type Properties = Record<string, string>

const clark = ({ namespace, name }: XmlElement) => (namespace === 'DAV:' ? name : `{${namespace}}${name}`)

/** Returns the properties by resource and status. */
export function propertiesIn(text: string): Record<string, Record<number, Properties>> {
  const found: Record<string, Record<number, Properties>> = {}
  for (const response of childrenOf(readXml(text), 'DAV:', 'response')) {
    const [href] = childrenOf(response, 'DAV:', 'href').map(textOf)
    const stats = childrenOf(response, 'DAV:', 'propstat').map((stat) => {
      const [status = ''] = childrenOf(stat, 'DAV:', 'status').map(textOf)
      const properties = childrenOf(stat, 'DAV:', 'prop').flatMap(({ children }) =>
        children.flatMap((child) => (typeof child === 'string' ? [] : [[clark(child), contentOf(child)]])),
      )
      return [Number(status.split(' ')[1]), Object.fromEntries(properties)]
    })
    found[href ?? ''] = Object.fromEntries(stats)
  }
  return found
}

const contentOf = ({ children }: XmlElement) =>
  children.map((child) => (typeof child === 'string' ? child : writeElement(child).xml)).join('')

/** Returns the status, the code and the message of a response that must be a failure, and its preconditions. */
export async function problemOf(response: Response) {
  const error = readXml(await response.text())
  if (error.namespace !== 'DAV:' || error.name !== 'error') throw new Error('The answer is not a failure')
  const message = childrenOf(error, 'http://sabredav.org/ns', 'message').map(textOf).join()
  const preconditions = childrenOf(error, 'DAV:').map(({ name }) => name)
  return { status: response.status, code: response.headers.get('error-code'), message, preconditions }
}

/** Creates a WebDAV client with an API key. */
export function davOf(holdfast: Pick<Holdfast, 'fetch'>, credentials: () => Record<string, string>) {
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: Body) =>
    holdfast.fetch(`/dav/${path}`, {
      method,
      headers: { ...credentials(), ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const find = async (path: string, depth: string, props?: string) => {
    const body = props === undefined ? undefined : `<propfind xmlns="DAV:"><prop>${props}</prop></propfind>`
    const response = await send('PROPFIND', path, { Depth: depth }, body)
    if (response.status !== 207) throw new Error(`PROPFIND ${path}: ${response.status}`)
    return propertiesIn(await response.text())
  }
  return {
    send,
    find,
    status: async (...request: Parameters<typeof send>) => (await send(...request)).status,
    /** Returns the paths that a folder lists, its own first. */
    list: async (path: string) => Object.keys(await find(path, '1', '<resourcetype/>')),
    /** Returns the properties of one resource. */
    properties: async (path: string, props?: string) =>
      Object.values(await find(path, '0', props))[0]?.[200] ?? {},
    text: async (path: string) => (await send('GET', path)).text(),
  }
}

export type Dav = ReturnType<typeof davOf>
