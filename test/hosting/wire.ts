import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Registered } from '../support/fixture.ts'
import type { Account, FileView, Holdfast } from '../support/holdfast.ts'
import { openSocket, parseAnswer, type RawAnswer, rawRequest, sendRaw } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'

export const HOST = 'Host: localhost'

/** Method and headers of a request: by default `GET` without more headers. */
export interface Question {
  method?: string
  headers?: readonly string[]
}

/** Requests `target` over a new connection. */
export const ask = (port: number, target: string, { method = 'GET', headers = [] }: Question = {}) =>
  rawRequest(port, [`${method} ${target} HTTP/1.1`, HOST, ...headers])

/** Returns the path of a file on disk. */
export const diskPath = ({ dataPath }: Pick<Holdfast, 'dataPath'>, { key }: Pick<FileView, 'key'>) =>
  join(dataPath, 'uploads', key)

/** Modification time of the files of `storeOld`. */
export const LAST_MODIFIED = 'Wed, 01 Jan 2025 00:00:00 GMT'

/** Routes that send the bytes of one file. */
export const ROUTES = ['hosting', 'download'] as const
export type Route = (typeof ROUTES)[number]

/** Returns the request for a file by `route`, with the account's API key where one is needed. */
export function asking(
  route: Route,
  file: FileView,
  { key }: Pick<Account, 'key'>,
  question: Question = {},
): [target: string, Question] {
  if (route === 'hosting') return [`/${file.url}`, question]
  const headers = [`API-Key: ${key}`, ...(question.headers ?? [])]
  return [`/api/files/download/${file.id}`, { ...question, headers }]
}

/** Returns requests over new connections to one instance, and files in it of a known age. */
export const onWire = (holdfast: Registered<Holdfast>) => ({
  ask: (target: string, question?: Question) => ask(holdfast.port, target, question),
  /** Requests a file by `route`, with the account's API key where one is needed. */
  askFor: (route: Route, file: FileView, question?: Question) =>
    ask(holdfast.port, ...asking(route, file, holdfast, question)),
  /** Stores a file whose bytes were last modified at `LAST_MODIFIED`. */
  storeOld: async (name: string, content: string | Uint8Array, visibility?: FileView['visibility']) => {
    const stored = await holdfast.api.upload(name, 'x', '', visibility)
    await storedIn(holdfast).plant(stored, content, Date.parse(LAST_MODIFIED))
    return stored
  },
})

/** Returns the status line and the header lines in order, without the date. */
export const headLines = ({ head }: RawAnswer): string[] =>
  head.split('\r\n').filter((line) => !/^date:/i.test(line))

/** Returns the parts of a response that must not distinguish two cases. */
export const wholeAnswer = (answer: RawAnswer) => ({ head: headLines(answer), body: answer.body.toString() })

/** Returns header values by name, without `Date` and the names in `omitted`. */
export function headersBut(answer: RawAnswer, ...omitted: string[]): Record<string, string> {
  const left = [...answer.headers].filter(([name]) => name !== 'date' && !omitted.includes(name))
  return Object.fromEntries(left)
}

/** Returns the headers of a response but for the date. */
export function headersOf(response: Response): Record<string, string> {
  const { date: _, ...headers } = Object.fromEntries(response.headers)
  return headers
}

/** Expects the promised length, not chunked. */
export function expectExactLength(answer: RawAnswer): void {
  expect(answer.headers.get('transfer-encoding')).toBeUndefined()
  expect(answer.headers.get('content-length')).toBe(String(answer.body.length))
}

/** Returns the message of the failure envelope, which must be the whole body. */
export function envelopeMessage({ body }: RawAnswer): string {
  const { message } = JSON.parse(body.toString()).error
  expect(JSON.parse(body.toString())).toEqual({ data: null, error: { message: expect.any(String) } })
  return message
}

/** Returns a request as text, for a connection that stays open. */
export const requestText = (target: string, { method = 'GET', headers = [] }: Question = {}) =>
  [`${method} ${target} HTTP/1.1`, HOST, ...headers, '', ''].join('\r\n')

/** Sends all requests at once over one connection and returns the responses in order. */
export async function pipeline(port: number, requests: readonly string[]): Promise<RawAnswer[]> {
  const last = requestText('/api/hosting/', { headers: ['Connection: close'] })
  const answers = splitAnswers(await sendRaw(port, [...requests, last].join('')))
  expect(answers.pop()?.status).toBe(404)
  return answers
}

/** Splits the bytes of one connection into responses by their `Content-Length`. */
export function splitAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const { body, ...answer } = parseAnswer(rest)
    const length = Number(answer.headers.get('content-length') ?? 0)
    answers.push({ ...answer, body: body.subarray(0, length) })
    rest = body.subarray(length)
  }
  return answers
}

/** Download whose client reads on request. */
export interface SlowDownload {
  socket: Socket
  /** Returns all bytes read so far, head included. */
  received: () => Buffer
  /** Returns true when the server has closed the connection. */
  closed: () => boolean
  /** Reads until the connection closes or `bytes` bytes have arrived in total, then pauses. */
  readTo: (bytes: number) => Promise<void>
}

/** Requests `target` and stops reading as soon as the response has begun. */
export async function openDownload(
  port: number,
  target: string,
  question: Question = {},
): Promise<SlowDownload> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  let closed = false
  let length = 0
  let check = () => {}
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    check()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    check()
  })
  const readTo = (bytes: number) =>
    new Promise<void>((resolve) => {
      check = () => {
        if (length < bytes && !closed) return
        socket.pause()
        resolve()
      }
      socket.resume()
      check()
    })
  socket.write(requestText(target, question))
  await readTo(1)
  return { socket, received: () => Buffer.concat(chunks), closed: () => closed, readTo }
}

/** Returns the number of handles that a process has on the files that are, or were, at `paths` or below them. */
export function openHandles(pid: number, ...paths: string[]): number {
  const targets = Bun.spawnSync([
    'readlink',
    ...readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`),
  ])
  return targets.stdout
    .toString()
    .split('\n')
    .filter((target) => paths.some((path) => target.startsWith(path))).length
}
