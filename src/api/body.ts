import type { TSchema } from 'typebox'
import { exchangeOf, SAFE_METHODS } from '../http/exchange.ts'
import { isUtf8Encoded } from '../http/percent.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { rateLimitBucket } from '../platform/rate-limit.ts'
import { type Bridge, UnreadBody } from './schema.ts'

/** Maximum size of a JSON body, in bytes. */
const MAX_JSON_BYTES = 1024 ** 2
/** Maximum nesting of a JSON body. None of ours has more than a few levels; a deep one exhausts the stack. */
const MAX_JSON_DEPTH = 32
/** Maximum fields of a form: as many ids as there is room for. Ever shorter ones only take time. */
const MAX_FORM_FIELDS = 25_000

/** Builds the route options for a JSON body with this schema. */
export const takes = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) => new UnreadBody(() => readJson(request)),
  body: schema,
})

/**
 * Builds the route options for a body with this schema, sent as JSON or as a form
 * (`application/x-www-form-urlencoded`) whose fields become lists. Some clients label every body a form, so a
 * body that begins like a JSON object is parsed as one.
 */
export const takesForm = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) =>
    new UnreadBody(() => (isForm(request) ? readForm(request) : readJson(request))),
  body: schema,
})

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false

const readJson = (request: Request) => read(request, 'JSON', parseJson)

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (isTooDeep(text)) throw refuseInvalid(`The body must be nested at most ${MAX_JSON_DEPTH} levels deep`)
  return value
}

/**
 * Checks the depth in the text, which must be JSON: walking the parsed value takes a hundred times as long.
 */
function isTooDeep(json: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') isInText = !isInText
    else if (isInText && character === '\\') at += 1
    else if (isInText) continue
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > MAX_JSON_DEPTH) return true
  }
  return false
}

const readForm = (request: Request) =>
  read(request, 'JSON or a form in UTF-8', (text) => {
    if (/^\s*\{/.test(text)) return parseJson(text)
    if (text.split('&').length > MAX_FORM_FIELDS)
      throw refuseInvalid(`A form must have at most ${MAX_FORM_FIELDS} fields`)
    if (!isUtf8Encoded(text)) throw refuseInvalid('The form must be UTF-8')
    const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name)
    return Object.fromEntries(fields.entries().map(([name, all]) => [name, all.map(([, value]) => value)]))
  })

/**
 * Reads a request's body, whatever its content type says.
 *
 * @throws {Refusal}
 */
async function read(request: Request, format: string, parse: (text: string) => unknown): Promise<unknown> {
  const { shortBodies, clientAddress } = exchangeOf(request)
  try {
    return await shortBodies.read(request, {
      maxBytes: MAX_JSON_BYTES,
      client: rateLimitBucket(clientAddress),
      parse: (bytes) => parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
    })
  } catch (error) {
    throw error instanceof Refusal ? error : refuseInvalid(`The body must be ${format}`)
  }
}

/**
 * Refuses a body in a coding, such as gzip: its bytes would be stored in place of those that they stand for (RFC 9110 §8.4).
 *
 * @throws {Refusal} `unsupported-media-type`.
 */
export function assertNoCoding({ method, headers }: Request): void {
  if (SAFE_METHODS.has(method)) return
  const codings = headers.get('content-encoding') ?? ''
  if (codings.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()))) return
  throw new Refusal(
    'unsupported-media-type',
    'The body must not be compressed: send it without "Content-Encoding"',
    { headers: { 'Accept-Encoding': 'identity' } },
  )
}
