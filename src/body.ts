import type { TSchema } from 'typebox'
import { errorCode, Refusal } from './errors.ts'
import { type Bridge, NOT_JSON } from './schema.ts'

/** Largest JSON body, in bytes. */
const MAX_JSON_BYTES = 1024 ** 2

/** Route options for a JSON body that `schema` describes. */
export const takes = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) => readJson(request),
  body: schema,
})

/**
 * Route options for a body that `schema` describes, sent as JSON or as a form
 * (`application/x-www-form-urlencoded`) whose fields become lists.
 */
export const takesForm = <const S extends TSchema>(schema: Bridge<S>) => ({
  parse: ({ request }: { request: Request }) => (isForm(request) ? readForm(request) : readJson(request)),
  body: schema,
})

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false

async function readForm(request: Request): Promise<Record<string, string[]>> {
  const form = new URLSearchParams(await readText(request))
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]))
}

/**
 * Reads a request's JSON body, whatever its content type says. What is not JSON comes back as `NOT_JSON`,
 * so that it is refused after the caller has been judged.
 *
 * @throws {Refusal} `too_large`.
 */
async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await readText(request))
  } catch (error) {
    if (error instanceof Refusal || errorCode(error) === 'ECONNRESET') throw error
    return NOT_JSON
  }
}

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
