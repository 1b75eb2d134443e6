/** Range of statuses, inclusive. */
type Statuses = readonly [from: number, to: number]

/** Request of h1spec, the allowed statuses of its response, and the body that a server must have received for 2xx. */
type H1Case = readonly [name: string, stream: string, statuses: readonly Statuses[], body?: string]

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
  ['no HTTP version', 'GET / \r\n\r\n', REFUSED_OR_FAILED],
  ['an Expect header', get('Expect: 100-continue'), [[100, 100], ...OK]],
  ['a valid GET', get(), OK],
  ['a valid GET with odd but valid fields', 'GET / HTTP/1.1\r\nhoSt:\texample.com\r\nempty:\r\n\r\n', OK],
  ['invalid characters in a field name', get('X-Invalid[]: test'), REFUSED],
  ['no Host', 'GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n', REFUSED],
  ['two Hosts', get('Host: example.org'), REFUSED],
  [
    'a Content-Length that overflows below zero',
    get('Content-Length: -123456789123456789123456789'),
    REFUSED,
  ],
  ['a negative Content-Length', get('Content-Length: -1234'), REFUSED],
  ['a Content-Length in letters', get('Content-Length: abc'), REFUSED],
  ['an empty field value', get('X-Empty-Header: '), OK],
  ['a control character in a field value', get('X-Bad-Control-Char: test\x07'), REFUSED],
  ['an invalid HTTP version', 'GET / HTTP/9.9\r\nHost: example.com\r\n\r\n', REFUSED_OR_FAILED],
  ['text before the method', `Extra line${get()}`, REFUSED_OR_FAILED],
  ['an invalid line end', 'GET / HTTP/1.1\r\nHost: example.com\r\n\rSome-Header: Test\r\n\r\n', REFUSED],
  ['a POST with a body', post('Content-Length: 5', '', 'hello'), OK, 'hello'],
  ['a chunked POST', post('Transfer-Encoding: chunked', ...CHUNKED), OK, 'HellO world1'],
  [
    'Content-Length beside Transfer-Encoding, in odd case',
    post('content-LengtH: 5', 'TransFer-Encoding: chunked', ...CHUNKED),
    [...REFUSED, ...OK],
    'HellO world1',
  ],
]
