import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import { type Answer, type Document, type JsonSchema, resolveAnswer } from '../../src/api/openapi/document.ts'
import type { App } from '../../src/app.ts'
import { describeApi } from '../../src/modules/docs/generate.ts'
import { readConfig } from '../../src/platform/config.ts'
import { ERROR_CODE, ERROR_CODES, isErrorCode } from '../../src/platform/error-codes.ts'
import { startServer } from '../../src/server.ts'

/** Creates a `fetch` that fails a test when a response differs from the API's document. */
export function documentedFetch(url: string, app?: App) {
  return async (path: string, init?: RequestInit): Promise<Response> => {
    // Certificates of tests sign themselves.
    const response = await fetch(`${url}${path}`, { ...init, tls: { rejectUnauthorized: false } })
    const { pathname } = new URL(`${url}${path}`)
    const held = await documentation(app)
    const meant = new Headers(init?.headers).get('x-http-method-override')
    const method = (pathname.startsWith('/api/uploads') && meant) || (init?.method?.toUpperCase() ?? 'GET')
    const answer = held.answerTo(method, pathname, response)
    if (answer && method !== 'HEAD') await checkBody(held, answer, response)
    return response
  }
}

let shared: Documentation | undefined

/** Returns the API's document of this source tree, also when the server under test is a binary. */
async function documentation(app?: App): Promise<Documentation> {
  shared ??= new Documentation(app ? documentOf(app) : await documentOfOwnServer())
  return shared
}

export const documentOf = (app: App): Document =>
  describeApi(app.routes, { sessionCookie: 'better-auth.session_token' })

async function documentOfOwnServer(): Promise<Document> {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const server = await startServer({
    config: readConfig({ PORT: '0', HOST: '127.0.0.1', DATA_PATH: dataPath }),
    clock: { now: Date.now, monotonic: () => performance.now() },
    random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), id: () => Bun.randomUUIDv7() },
    log: { notice: () => {}, info: () => {}, error: () => {} },
    dashboard: new Map(),
    onFatal: () => {},
  })
  const document = documentOf(server.app)
  await server.stop(0)
  rmSync(dataPath, { recursive: true, force: true })
  return document
}

/** API document that validates responses. */
export class Documentation {
  readonly document: Document
  readonly #ajv = new Ajv2020({ strict: false })
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #templates: { pattern: RegExp; operations: Document['paths'][string] }[]

  constructor(document: Document) {
    this.document = document
    this.#templates = Object.entries(document.paths)
      // A path without parameters takes precedence.
      .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
      .map(([template, operations]) => ({ pattern: toPattern(template), operations }))
  }

  /**
   * Returns the documented response, `undefined` for paths and methods outside the API.
   *
   * @throws when the document has no such response.
   */
  answerTo(method: string, path: string, { status, headers }: Response): Answer | undefined {
    const subject = `${method} ${path} answered ${status}`
    if (path.startsWith('/api/')) assertCoded(subject, status, headers)
    const operations = this.#templates.find(({ pattern }) => pattern.test(path))?.operations
    const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (!operation) {
      if (path.startsWith('/api/') && status < 400) throw new Error(`${subject}: not documented`)
      return undefined
    }
    const response = operation.responses[status]
    if (!response) throw new Error(`${subject}: the status is not documented`)
    const answer = resolveAnswer(response, this.document.components.responses)
    for (const [name, { required }] of Object.entries(answer.headers ?? {}))
      if (required && !headers.has(name)) throw new Error(`${subject} without ${name}`)
    const type = headers.get('content-type')?.split(';')[0]
    const types = Object.keys(answer.content ?? {})
    const isTold = type === undefined ? types.length === 0 : types.includes(type) || types.includes('*/*')
    if (!isTold) throw new Error(`${subject} with ${type}: the type is not documented`)
    return answer
  }

  /** @throws when a value does not match a schema of the document, or has a field that the schema lacks. */
  assertValid(schema: JsonSchema, value: unknown): void {
    const validate = this.#validatorOf(schema)
    if (!validate(value))
      throw new Error(
        `${JSON.stringify(value)} is not as documented: ${this.#ajv.errorsText(validate.errors)}`,
      )
  }

  #validatorOf(schema: JsonSchema): ValidateFunction {
    const text = JSON.stringify(schema)
    const compiled = this.#compiled.get(text)
    if (compiled) return compiled
    const { schemas } = this.document.components
    const validate = this.#ajv.compile({ ...closed(schema), components: { schemas: closed(schemas) } })
    this.#compiled.set(text, validate)
    return validate
  }
}

/** @throws when a failure has no code of its status, or a success has one. */
function assertCoded(subject: string, status: number, headers: Headers): void {
  const code = headers.get(ERROR_CODE)
  if (status < 400 && code === null) return
  const isKnown = code !== null && isErrorCode(code)
  // The address of another account is a 409 where an account changes its own, by the contract.
  const statuses: number[] = isKnown ? [ERROR_CODES[code][0], code === 'email-taken' ? 409 : 0] : []
  if (!statuses.includes(status)) throw new Error(`${subject} with the code ${code}`)
}

/** Converts a path template to a pattern. `{id}` is one segment, the object key of a hosted file all the rest. */
const toPattern = (template: string) =>
  new RegExp(`^${template.replace('{key}', '.*').replace(/\{\w+\}/g, '[^/]+')}/?$`)

/** Returns a copy of a schema that allows no additional fields. */
function closed(part: object): object {
  const walk = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? closed(value) : value
  if (Array.isArray(part)) return part.map(walk)
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, walk(value)]))
  return 'properties' in part ? { ...inner, additionalProperties: false } : inner
}

/** Validates a JSON body: at once when its length is known, a stream when the test reads it. */
async function checkBody(held: Documentation, { content }: Answer, response: Response): Promise<void> {
  const schema = content?.['application/json']?.schema
  if (!schema || !response.headers.get('content-type')?.startsWith('application/json')) return
  if (response.headers.has('content-length')) return held.assertValid(schema, await response.clone().json())
  const text = async () => {
    const read = await Response.prototype.text.call(response)
    held.assertValid(schema, JSON.parse(read))
    return read
  }
  Object.assign(response, { text, json: async () => JSON.parse(await text()) })
}
