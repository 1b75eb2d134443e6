import type { TSchema } from 'typebox'
import { errorCode, Refusal, refuseInvalid } from './errors.ts'
import type { Bridge } from './schema.ts'

/** Largest JSON body, in bytes. */
const MAX_JSON_BYTES = 1024 ** 2
/** Deepest nesting of a JSON body. None of ours has more than a few levels; a deep one exhausts the stack. */
const MAX_JSON_DEPTH = 32

/** Route options for a JSON body that `schema` describes. */
export const takes = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) => readJson(request),
  body: schema,
})

/**
 * Route options for a body that `schema` describes, sent as JSON or as a form
 * (`application/x-www-form-urlencoded`) whose fields become lists. Some clients call every body a form, so
 * what begins like a JSON object is one.
 */
export const takesForm = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) => (isForm(request) ? readForm(request) : readJson(request)),
  body: schema,
})

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false

const readJson = (request: Request) => read(request, 'JSON', parseJson)

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  let level = [value].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH)
      throw refuseInvalid(`The body must be nested at most ${MAX_JSON_DEPTH} levels deep`)
    level = level.flatMap((object) => Object.values(object).filter(isObject))
  }
  return value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const readForm = (request: Request) =>
  read(request, 'JSON or a form in UTF-8', (text) => {
    if (/^\s*\{/.test(text)) return parseJson(text)
    const form = new URLSearchParams(text)
    return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]))
  })

/**
 * Reads a request's body, whatever its content type says. One that cannot be read comes back as a refusal,
 * so that the schema refuses it after the caller has been judged.
 */
async function read(request: Request, format: string, parse: (text: string) => unknown): Promise<unknown> {
  try {
    return parse(await readText(request))
  } catch (error) {
    if (error instanceof Refusal) return error
    if (errorCode(error) === 'ECONNRESET') throw error
    return refuseInvalid(`The body must be ${format}`)
  }
}

/** @throws {Refusal} `too_large`. */
async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MAX_JSON_BYTES)
      throw new Refusal('too_large', `The body is larger than ${MAX_JSON_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
