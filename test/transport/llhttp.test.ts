import { expect, test } from 'bun:test'
import { readAsLlhttp } from './llhttp.ts'
import { createChance, createCuts, createStream } from './streams.ts'
import { readAsWeDo } from './understand.ts'

/** A long run sets both: `HOLDFAST_STREAMS=1500000 HOLDFAST_SEED=$RANDOM bun test test/transport/llhttp.test.ts`. */
const STREAMS = Number(process.env['HOLDFAST_STREAMS'] ?? 20_000)
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 1)

/** Two milliseconds a stream, ten times what they take: a busy machine is no failure. */
const MAX_MS = 20_000 + 2 * STREAMS

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

test(
  `${STREAMS} streams of requests are understood as llhttp does, wherever they are cut (seed ${SEED})`,
  () => {
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
      if (ours.requests.length === both) continue
      const known = MORE_THAN_LLHTTP.find(([, pattern]) => pattern.test(stream))
      if (!known) expect({ ...context, ours }).toEqual({ ...context, ours: theirs })
    }

    expect(understood).toBeGreaterThan(STREAMS / 4)
  },
  MAX_MS,
)
