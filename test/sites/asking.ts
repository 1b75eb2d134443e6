import { expect } from 'bun:test'
import { parseAnswer, type RawAnswer, rawRequest, sendRaw } from '../support/socket.ts'

/** Headers of a browser that wants to show a page. */
export const PAGE = { Accept: 'text/html,*/*;q=0.8' }

type Fields = Record<string, string>
const lines = (fields: Fields) => Object.entries(fields).map(([name, value]) => `${name}: ${value}`)

/** Returns requests to hosts of a server. */
export const askingOf = (server: { port: number }) => ({
  /** Sends a request to a host. */
  ask: (host: string, target: string, headers: Fields = {}, method = 'GET') =>
    rawRequest(server.port, [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines(headers)]),

  /** Sends the form that asks for a password. */
  enter: (host: string, fields: Fields) => {
    const body = new URLSearchParams(fields).toString()
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const head = ['POST /.holdfast/open HTTP/1.1', `Host: ${host}`, type, `Content-Length: ${body.length}`]
    return rawRequest(server.port, head, body)
  },

  /** Sends a GET several times on one connection, so that it takes the fast path, and then its cache. */
  askAgain: async (host: string, target: string, headers: Fields = {}): Promise<RawAnswer[]> => {
    const head = [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...lines(headers)]
    const [kept, last] = [
      [...head, '', ''],
      [...head, 'Connection: close', '', ''],
    ].map((all) => all.join('\r\n'))
    let rest = await sendRaw(server.port, `${kept}${kept}${kept}${last}`)
    const answers: RawAnswer[] = []
    while (rest.length > 0) {
      const answer = parseAnswer(rest)
      const length = answer.status === 304 ? 0 : Number(answer.headers.get('content-length') ?? 0)
      answers.push({ ...answer, body: answer.body.subarray(0, length) })
      rest = answer.body.subarray(length)
    }
    expect(answers).toHaveLength(4)
    return answers
  },
})

/** Returns a response as a row of a table: its status, and its address or body. */
export const told = ({ status, headers, body }: RawAnswer) => [
  status,
  headers.get('location') ?? body.toString(),
]

/** Word for our own page in a row. */
export const OURS = 'ours'

/** Returns a row, with a word for our own page. */
export function rowOf(answer: RawAnswer) {
  const [status, text] = told(answer)
  const isOurs = status === 404 && String(text).startsWith('<!doctype html>')
  if (isOurs) expect(answer.body.length).toBeLessThan(1024)
  return [status, isOurs ? OURS : text]
}
