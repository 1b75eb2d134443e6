import { expect } from 'bun:test'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type Account, type FileView, type Holdfast, upload } from '../support/holdfast.ts'
import { openSocket, parseAnswer, type RawAnswer, rawRequest, sendRaw } from '../support/socket.ts'

export const HOST = 'Host: localhost'

/** What is asked of a target: `GET` without more headers, unless said. */
export interface Question {
  method?: string
  headers?: readonly string[]
}

/** Asks for `target` over a connection of its own. */
export const ask = (port: number, target: string, { method = 'GET', headers = [] }: Question = {}) =>
  rawRequest(port, [`${method} ${target} HTTP/1.1`, HOST, ...headers])

/** Where the bytes of a file are on disk. */
export const diskPath = ({ dataPath }: Pick<Holdfast, 'dataPath'>, { key }: Pick<FileView, 'key'>) =>
  join(dataPath, 'uploads', key)

/** When `storeOld` says its files were modified. */
export const LAST_MODIFIED = 'Wed, 01 Jan 2025 00:00:00 GMT'

/** Stores a file whose bytes were last modified at `LAST_MODIFIED`. */
export async function storeOld(
  holdfast: Holdfast,
  { withKey }: Account,
  { content, ...file }: { name: string; content: string | Uint8Array; visibility?: string },
): Promise<FileView> {
  const stored = await upload(holdfast, withKey, { ...file, content: 'x' })
  writeFileSync(diskPath(holdfast, stored), content)
  setModified(diskPath(holdfast, stored), Date.parse(LAST_MODIFIED))
  return stored
}

export const setModified = (path: string, epochMs: number) => utimesSync(path, epochMs / 1000, epochMs / 1000)

/** The two routes that send the bytes of one file. */
export const ROUTES = ['hosting', 'download'] as const
export type Route = (typeof ROUTES)[number]

/** How `route` is asked for a file, with the account's key where a key is needed. */
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

/** Status line and header lines in their order, without those that differ from one moment to the next. */
export const headLines = ({ head }: RawAnswer): string[] =>
  head.split('\r\n').filter((line) => !/^date:/i.test(line))

/** Everything of an answer that must not tell two cases apart. */
export const wholeAnswer = (answer: RawAnswer) => ({ head: headLines(answer), body: answer.body.toString() })

/** Header values by name, without `Date` and the names in `omitted`. */
export function headersBut(answer: RawAnswer, ...omitted: string[]): Record<string, string> {
  const left = [...answer.headers].filter(([name]) => name !== 'date' && !omitted.includes(name))
  return Object.fromEntries(left)
}

/** What `fetch` was told, but for the time. */
export function headersOf(response: Response): Record<string, string> {
  const { date: _, ...headers } = Object.fromEntries(response.headers)
  return headers
}

/** The length that was promised is the length that came, and nothing was chunked. */
export function expectExactLength(answer: RawAnswer): void {
  expect(answer.headers.get('transfer-encoding')).toBeUndefined()
  expect(answer.headers.get('content-length')).toBe(String(answer.body.length))
}

/** The message of the failure envelope, which must be all of the body. */
export function envelopeMessage({ body }: RawAnswer): string {
  const { message } = JSON.parse(body.toString()).error
  expect(JSON.parse(body.toString())).toEqual({ data: null, error: { message: expect.any(String) } })
  return message
}

/** One request as text, for a connection that stays open. */
export const requestText = (target: string, { method = 'GET', headers = [] }: Question = {}) =>
  [`${method} ${target} HTTP/1.1`, HOST, ...headers, '', ''].join('\r\n')

/** Sends everything at once over one connection and reads the answers in the order they came. */
export async function pipeline(port: number, requests: readonly string[]): Promise<RawAnswer[]> {
  const last = requestText('/api/hosting/', { headers: ['Connection: close'] })
  const answers = splitAnswers(await sendRaw(port, [...requests, last].join(''), 2000))
  expect(answers.pop()?.status).toBe(404)
  return answers
}

/** Cuts what came over one connection into answers by their `Content-Length`. */
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

/** A download whose client reads when it is told to. */
export interface SlowDownload {
  socket: Socket
  /** Everything read so far, head included. */
  received: () => Buffer
  /** Whether the server has closed the connection. */
  closed: () => boolean
  /** Reads on until the connection closes or `bytes` have come in all, then pauses. */
  readTo: (bytes: number) => Promise<void>
}

/** Asks for `target` and stops reading as soon as the answer has begun. */
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

/** How many handles a process has on the file that is, or was, at `path`. */
export function openHandles(pid: number, path: string): number {
  const targets = Bun.spawnSync([
    'readlink',
    ...readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`),
  ])
  return targets.stdout
    .toString()
    .split('\n')
    .filter((target) => target.startsWith(path)).length
}
