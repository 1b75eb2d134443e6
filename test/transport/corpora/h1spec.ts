/** Range of statuses, inclusive. */
type Statuses = readonly [from: number, to: number]

/** Request of h1spec, with the allowed statuses of its response. */
export interface H1Case {
  name: string
  stream: string
  statuses: readonly Statuses[]
  /** Body that a server must have received if it returns 2xx. */
  body?: string
}

/** Places at which a request is cut. Until the rest arrives, there must be no response. */
export const CUT_REQUEST = 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n'
export const CUTS: readonly [name: string, received: string][] = [
  ['method', 'G'],
  ['target 1', 'GET '],
  ['target 2', 'GET /hello'],
  ['target 3', 'GET /hello '],
  ['HTTP version', 'GET /hello HTTP'],
  ['request line', 'GET /hello HTTP/1.1'],
  ['end of the request line 1', 'GET /hello HTTP/1.1\r'],
  ['end of the request line 2', 'GET /hello HTTP/1.1\r\n'],
  ['field name', 'GET /hello HTTP/1.1\r\nHos'],
  ['field value 1', 'GET /hello HTTP/1.1\r\nHost:'],
  ['field value 2', 'GET /hello HTTP/1.1\r\nHost: '],
  ['field value 3', 'GET /hello HTTP/1.1\r\nHost: localhost'],
  ['field value 4', 'GET /hello HTTP/1.1\r\nHost: localhost\r'],
  ['head', 'GET /hello HTTP/1.1\r\nHost: localhost\r\n'],
  ['end of the head', 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r'],
]

const OK: readonly Statuses[] = [[200, 299]]
const REFUSED: readonly Statuses[] = [[400, 499]]
const REFUSED_OR_FAILED: readonly Statuses[] = [[400, 599]]

const get = (...lines: string[]) => ['GET / HTTP/1.1', 'Host: example.com', ...lines, '', ''].join('\r\n')
const post = (...lines: string[]) => ['POST / HTTP/1.1', 'Host: example.com', ...lines].join('\r\n')
const CHUNKED = ['', 'c', 'HellO world1', '0', '', '']

export const H1SPEC: readonly H1Case[] = [
  { name: 'no HTTP version', stream: 'GET / \r\n\r\n', statuses: REFUSED_OR_FAILED },
  { name: 'an Expect header', stream: get('Expect: 100-continue'), statuses: [[100, 100], ...OK] },
  { name: 'a valid GET', stream: get(), statuses: OK },
  {
    name: 'a valid GET with odd but valid fields',
    stream: 'GET / HTTP/1.1\r\nhoSt:\texample.com\r\nempty:\r\n\r\n',
    statuses: OK,
  },
  { name: 'invalid characters in a field name', stream: get('X-Invalid[]: test'), statuses: REFUSED },
  {
    name: 'no Host',
    stream: 'GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n',
    statuses: REFUSED,
  },
  { name: 'two Hosts', stream: get('Host: example.org'), statuses: REFUSED },
  {
    name: 'a Content-Length that overflows below zero',
    stream: get('Content-Length: -123456789123456789123456789'),
    statuses: REFUSED,
  },
  { name: 'a negative Content-Length', stream: get('Content-Length: -1234'), statuses: REFUSED },
  { name: 'a Content-Length in letters', stream: get('Content-Length: abc'), statuses: REFUSED },
  { name: 'an empty field value', stream: get('X-Empty-Header: '), statuses: OK },
  {
    name: 'a control character in a field value',
    stream: get('X-Bad-Control-Char: test\x07'),
    statuses: REFUSED,
  },
  {
    name: 'an invalid HTTP version',
    stream: 'GET / HTTP/9.9\r\nHost: example.com\r\n\r\n',
    statuses: REFUSED_OR_FAILED,
  },
  { name: 'text before the method', stream: `Extra line${get()}`, statuses: REFUSED_OR_FAILED },
  {
    name: 'an invalid line end',
    stream: 'GET / HTTP/1.1\r\nHost: example.com\r\n\rSome-Header: Test\r\n\r\n',
    statuses: REFUSED,
  },
  { name: 'a POST with a body', stream: post('Content-Length: 5', '', 'hello'), statuses: OK, body: 'hello' },
  {
    name: 'a chunked POST',
    stream: post('Transfer-Encoding: chunked', ...CHUNKED),
    statuses: OK,
    body: 'HellO world1',
  },
  {
    name: 'Content-Length beside Transfer-Encoding, in odd case',
    stream: post('content-LengtH: 5', 'TransFer-Encoding: chunked', ...CHUNKED),
    statuses: [...REFUSED, ...OK],
    body: 'HellO world1',
  },
]
