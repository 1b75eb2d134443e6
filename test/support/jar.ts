import type { Holdfast } from './holdfast.ts'

/** Creates a `fetch` that keeps cookies, as a browser on a page of `origin` does. */
export function jarOf({ fetch }: Pick<Holdfast, 'fetch'>, origin: string) {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if ((init.method ?? 'GET') !== 'GET') headers.set('Origin', origin)
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    const response = await fetch(path, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    fetch: send,
    get: (path: string) => send(path),
    post: (path: string, body: unknown) => send(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

export type Jar = ReturnType<typeof jarOf>
