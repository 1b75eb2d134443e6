import { KiB, MiB } from '../bench/report.ts'

/** Input to measure. */
export interface Element {
  name: string
  /** Returns the beginning of each connection. @param withKey Header line of an API key. */
  head: (withKey: string) => string
  /** Text to repeat until the connection has sent its share. */
  unit: string
  /** Bytes of each connection. */
  share: number
  /** Limit of the processor time of a byte, as a multiple of that of a byte of plain bodies. */
  time: number
  /** Limit of the growth of memory, as a multiple of that of plain bodies; 1.5 unless set. */
  memory?: number
}

const lines = (...text: readonly string[]) => [...text, '', ''].join('\r\n')
const SIGN_IN = 'POST /api/auth/sign-in/email HTTP/1.1'
const none = () => ''
const counted = (length: number) => lines(SIGN_IN, 'Host: x', `Content-Length: ${length}`)
const chunked =
  (path = SIGN_IN) =>
  () =>
    lines(path, 'Host: x', 'Transfer-Encoding: chunked')
const chunk = (data: string, extension = '') => `${data.length.toString(16)}${extension}\r\n${data}\r\n`
const get = (...headers: readonly string[]) => lines('GET /api/health HTTP/1.1', 'Host: x', ...headers)
const MULTIPART = 'Content-Type: multipart/form-data; boundary=b'
const upload = (withKey: string) =>
  lines('POST /api/files HTTP/1.1', 'Host: x', withKey, `Content-Length: ${1024 * MiB}`, MULTIPART)
const chunkedUpload = (withKey: string) =>
  lines('POST /api/files HTTP/1.1', 'Host: x', withKey, 'Transfer-Encoding: chunked', MULTIPART)
/** Chunk extension of nearly the maximum length of a line. */
const EXTENSION = `;${'x'.repeat(4000)}`
const part = (name: string) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n`

/** Bodies of 1 MiB that the transport does not parse. */
export const PLAIN: Element = {
  name: 'plain bodies',
  head: none,
  unit: `${counted(MiB)}${'x'.repeat(MiB)}`,
  share: 2 * MiB,
  time: 1,
}

/**
 * Elements of the grammar of HTTP/1.1 (RFC 9112) and of multipart bodies (RFC 2046 §5.1). Each limit is about four
 * times the measured cost, because machines differ.
 */
export const ELEMENTS: readonly Element[] = [
  { name: 'empty lines before a request', head: none, unit: '\r\n', share: 256 * KiB, time: 4 },
  { name: 'pipelined requests', head: none, unit: get(), share: 8 * KiB, time: 2000 },
  {
    name: 'header lines of one byte',
    head: none,
    unit: get(...Array(120).fill('a:b')),
    share: 64 * KiB,
    time: 150,
  },
  {
    name: 'header lines of different names',
    head: none,
    unit: get(...Array.from({ length: 120 }, (_, n) => `name${n}:b`)),
    share: 64 * KiB,
    time: 200,
  },
  { name: 'long header values', head: none, unit: get(`a: ${'b'.repeat(15_000)}`), share: MiB, time: 10 },
  {
    name: 'requests with bodies of one byte',
    head: none,
    unit: `${counted(1)}x`,
    share: 8 * KiB,
    time: 1000,
  },
  { name: 'chunks of one byte', head: chunked(), unit: chunk('x'), share: MiB, time: 4 },
  { name: 'chunks of two bytes', head: chunked(), unit: chunk('xx'), share: MiB, time: 5 },
  { name: 'chunks of five bytes', head: chunked(), unit: chunk('xxxxx'), share: 512 * KiB, time: 30 },
  {
    name: 'extensions of chunks of one byte',
    head: chunked(),
    unit: chunk('x', EXTENSION),
    share: 4 * MiB,
    time: 1,
  },
  {
    name: 'extensions of chunks of one byte in an upload',
    head: (withKey) => `${chunkedUpload(withKey)}${chunk(part('name="f"; filename="f"'))}`,
    unit: chunk('x', EXTENSION),
    share: 4 * MiB,
    time: 1,
    memory: 0.6,
  },
  { name: 'trailers', head: () => `${chunked()()}0\r\n`, unit: 'a: b\r\n', share: MiB, time: 2 },
  {
    name: 'dropped bodies',
    head: () => lines('POST /api/none HTTP/1.1', 'Host: x', `Content-Length: ${1024 * MiB}`),
    unit: 'x',
    share: 4 * MiB,
    time: 2,
  },
  {
    name: 'dropped chunks of five bytes',
    head: chunked('POST /api/none HTTP/1.1'),
    unit: chunk('xxxxx'),
    share: 512 * KiB,
    time: 30,
  },
  {
    name: 'multipart fields of one byte',
    head: upload,
    unit: `${part('name="f"')}x\r\n`,
    share: MiB,
    time: 6,
  },
  {
    name: 'beginnings of multipart boundaries',
    head: (withKey) => `${upload(withKey)}${part('name="f"; filename="f"')}`,
    unit: '\r\n--',
    share: MiB,
    time: 5,
  },
]
