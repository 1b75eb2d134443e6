import { expect, test } from 'bun:test'
import { readAsLlhttp } from './llhttp.ts'
import { createChance, createCuts, createStream } from './streams.ts'
import { readAsWeDo } from './understand.ts'

/**
 * Number of streams. For a long run: `HOLDFAST_STREAMS=1500000 HOLDFAST_SEED=$RANDOM bun test
 * test/transport/llhttp.test.ts`.
 */
const STREAMS = Number(process.env['HOLDFAST_STREAMS'] ?? 20_000)
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 1)

/** Elements that llhttp refuses although RFC 9112 allows them, or although they change nothing. */
const MORE_THAN_LLHTTP: [what: string, pattern: RegExp][] = [
  ['blanks in an extension (§7.1.1)', /^[\da-f]+(?:[ \t]+;|;[^\r]*[ \t])/im],
  [
    'a trailer that frames nothing (§6.5.1)',
    /^0+(?:[ \t]*;[^\r]*)?\r\n(?:[^\r]+\r\n)*(?:content-length|transfer-encoding|connection)[ \t]*:/im,
  ],
  [
    'lengths that are equal (§6.3)',
    /content-length:[ \t]*(\d+)[ \t]*\r\n(?:[^\r]+\r\n)*content-length:[ \t]*\1[ \t]*\r/i,
  ],
  ['a tab behind a length (§5)', /content-length:[ \t]*\d+[ \t]*\t/i],
  [
    'a tab in front of or behind a coding (§5)',
    /transfer-encoding:(?: *\t[ \t]*chunked|[ \t]*chunked *\t)[ \t]*\r/i,
  ],
  ['a later minor version (RFC 9110 §2.5)', /HTTP\/1\.[2-9]/],
  ['an odd authority', /[a-z]+ https?:\/\/[^/ ]*[^\w./ ]/i],
]

/** Elements that we refuse and llhttp accepts. Each makes the meaning or the end of a request ambiguous. */
const LESS_THAN_LLHTTP: [what: string, isIn: (stream: string) => boolean][] = [
  ['HTTP/1.0, after which we close, without chunks (§9.3, §6.1)', (stream) => stream.includes('HTTP/1.0')],
  ['HTTP/0.9', (stream) => /[A-Z]+ \S+\r\n/.test(stream)],
  ['a CR or LF that does not end a line (§2.2)', (stream) => /\r(?!\n)|(?<!\r)\n/.test(stream)],
  ['more blanks in a request line (§3)', (stream) => /[A-Z] {2}| {2}HTTP|HTTP\/1\.1[ \t]/.test(stream)],
  [
    'a target in none of four forms (§3.2)',
    (stream) => !targetsOf(stream).every((target) => TARGET.test(target)),
  ],
  ['no Host, two, or one that is no host (§3.2)', (stream) => !hostsOf(stream).every(isOneHost)],
  [
    'a coding other than chunked, or chunked twice (§6.1)',
    (stream) =>
      /transfer-encoding:(?:(?![ \t]*chunked[ \t]*\r)|[^\r]*\r\n(?:[^\r\n]+\r\n)*transfer-encoding:)/i.test(
        stream,
      ),
  ],
  ['a malformed extension (§7.1.1)', (stream) => extensionsOf(stream).some((text) => !EXTENSIONS.test(text))],
]

const TARGET = /^(?:OPTIONS \*|[A-Z]+ (?:\/|https?:\/\/(?:[a-z]+\.)*[a-z]+(?:[/?]|$))[^#]*)$/i

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const EXTENSIONS = new RegExp(
  `^(?:[ \\t]*;[ \\t]*${TOKEN}(?:[ \\t]*=[ \\t]*(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?)*$`,
)

/** Returns the text after each chunk size. */
const extensionsOf = (stream: string) =>
  [...stream.matchAll(/^[\da-f]+([ \t]*;.*)\r$/gim)].map(([, text = '']) => text)

const targetsOf = (stream: string) =>
  [...stream.matchAll(/([A-Z]+ [^\r\n]*?) HTTP\/1\.\d/g)].map(([, target = '']) => target)

/** Returns the values of Host in each head. */
const hostsOf = (stream: string) =>
  [...stream.matchAll(/HTTP\/1\.\d\r\n((?:[^\r\n]+\r\n)*)\r\n/g)].map(([, fields = '']) =>
    [...fields.matchAll(/^host:[ \t]*(.*?)[ \t]*\r$/gim)].map(([, host = '']) => host),
  )

const isOneHost = ([host, second]: string[]) => second === undefined && /^\w[\w.]*$/.test(host ?? '')

test(`${STREAMS} streams of requests are understood as llhttp does, wherever they are cut (seed ${SEED})`, () => {
  const chance = createChance(SEED)
  let understood = 0
  for (let n = 0; n < STREAMS; n += 1) {
    const stream = createStream(chance)
    const cuts = createCuts(chance, stream.length)
    const [ours, cut, theirs] = [readAsWeDo(stream), readAsWeDo(stream, cuts), readAsLlhttp(stream)]
    const context = { seed: SEED, stream, cuts }
    if (!Bun.deepEquals(ours, cut)) expect({ ...context, ...cut }).toEqual({ ...context, ...ours })
    const both = Math.min(ours.requests.length, theirs.requests.length)
    const [mine, other] = [ours.requests.slice(0, both), theirs.requests.slice(0, both)]
    if (!Bun.deepEquals(mine, other)) expect({ ...context, mine }).toEqual({ ...context, mine: other })
    understood += both
    if (theirs.requests.length > both && !LESS_THAN_LLHTTP.some(([, isIn]) => isIn(stream)))
      expect({ ...context, ours }).toEqual({ ...context, ours: theirs })
    if (ours.requests.length === both) continue
    const known = MORE_THAN_LLHTTP.find(([, pattern]) => pattern.test(stream))
    if (!known) expect({ ...context, ours }).toEqual({ ...context, ours: theirs })
  }

  expect(understood).toBeGreaterThan(STREAMS / 4)
})
