/** Numbers from 0 to below `limit`, the same for the same seed (mulberry32). */
export function createChance(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

type Chance = ReturnType<typeof createChance>

const pick = <Value>(chance: Chance, values: readonly [Value, ...Value[]]): Value =>
  values[chance(values.length)] ?? values[0]

const STARTS = [
  'GET / HTTP/1.1',
  'GET /api/hosting/a%20b?x=y HTTP/1.1',
  'HEAD /api/health HTTP/1.1',
  'POST /api/files HTTP/1.1',
  'PUT /x HTTP/1.1',
  'DELETE /api/files HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET http://a.example/path?q HTTP/1.1',
  'POST / HTTP/1.0',
  'GET / HTTP/1.0',
] as const
const FIELDS = [
  'Connection: keep-alive',
  'Connection: close',
  'Accept: */*',
  'X-Empty:',
  'X-Blanks: \t a b \t ',
  'Expect: 100-continue',
  'Cookie: a=b',
  'Range: bytes=0-1',
] as const
const EXTENSIONS = ['', '', '', ';a', ';a=b', ';a="b c"', ' ; a = b', ';a="\\""'] as const
const TRAILERS = ['', '', 'X: y\r\n', 'A: b\r\nC: d\r\n', 'Content-Length: 5\r\n'] as const
/** Text that parsers have stumbled over. */
const ODD = [
  ...([
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '"',
    '0',
    '1',
    'f',
    '-1',
    '+1',
  ] as const),
  ...(['0x5', '_', '\x0b', '\x7f', '\xff', 'chunked', 'identity', 'HTTP/1.1', '#', '\\', '//', '@'] as const),
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\tchunked\r\n',
  ' Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 5, 5\r\n',
  'content-length : 5\r\n',
  'Connection: close\r\n',
  'Upgrade: h2c\r\n',
  'Host: b\r\n',
  '0\r\n\r\n',
  'GET / HTTP/1.1\r\n',
] as const

/** Creates a stream of one to three requests on one connection. Three in four streams are mutated. */
export function createStream(chance: Chance): string {
  const requests = Array.from({ length: 1 + chance(3) }, () => createRequest(chance)).join('')
  return chance(4) === 0 ? requests : mutate(requests, chance)
}

function createRequest(chance: Chance): string {
  const lines: string[] = [pick(chance, STARTS), 'Host: a']
  for (let n = chance(4); n > 0; n -= 1) lines.push(pick(chance, FIELDS))
  const kind = chance(3)
  const text = 'x'.repeat(chance(20))
  const end = lines.join('\r\n')
  if (kind === 0) return `${end}\r\n\r\n`
  if (kind === 1) return `${end}\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  return `${end}\r\nTransfer-Encoding: chunked\r\n\r\n${createChunks(chance)}`
}

function createChunks(chance: Chance): string {
  let body = ''
  for (let n = chance(4); n > 0; n -= 1) {
    const length = 1 + chance(20)
    body += `${length.toString(16)}${pick(chance, EXTENSIONS)}\r\n${'y'.repeat(length)}\r\n`
  }
  return `${body}0${pick(chance, EXTENSIONS)}\r\n${pick(chance, TRAILERS)}\r\n`
}

function mutate(text: string, chance: Chance): string {
  let mutated = text
  for (let n = 1 + chance(3); n > 0; n -= 1) {
    const place = chance(mutated.length + 1)
    // Half of them where a line begins: only there does a header line mean something.
    const at = chance(2) === 0 ? place : mutated.indexOf('\n', place) + 1
    const length = chance(4) === 0 ? chance(12) : 1
    const before = mutated.slice(0, at)
    const kind = chance(5)
    if (kind === 0) mutated = before + mutated.slice(at + length)
    else if (kind === 1) mutated = before + String.fromCharCode(chance(256)) + mutated.slice(at + 1)
    else if (kind === 2) mutated = before + mutated.slice(at, at + length) + mutated.slice(at)
    else mutated = before + pick(chance, ODD) + mutated.slice(at)
  }
  return mutated
}

/** Returns random positions at which to cut a stream. */
export const createCuts = (chance: Chance, length: number): number[] =>
  Array.from({ length: chance(6) }, () => chance(length + 1)).sort((a, b) => a - b)
