import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Answer, Document, Media, Operation } from '../../src/api/openapi/document.ts'
import { describeApi } from '../../src/modules/docs/generate.ts'
import { Documentation } from '../support/documented.ts'
import { type Holdfast, type Inside, startHoldfast, startInside, TestClock } from '../support/holdfast.ts'

/** Documented operations. */
const INTERFACE = [
  'GET /api/health',
  'GET /api/setup',
  'GET /api/hosting/{key}',
  'GET /api/files',
  'POST /api/files',
  'POST /api/files/canceled',
  'PUT /api/files',
  'POST /api/files/move',
  'POST /api/files/sign',
  'DELETE /api/files',
  'GET /api/files/download/{id}',
  'POST /api/files/download',
  'GET /api/folders',
  'POST /api/folders',
  'PUT /api/folders',
  'POST /api/folders/move',
  'GET /api/folders/download',
  'DELETE /api/folders',
  'GET /api/me',
  'GET /api/stats',
  'PUT /api/me',
  'PUT /api/me/password',
  'GET /api/me/sessions',
  'DELETE /api/me/sessions',
  'GET /api/users',
  'POST /api/users',
  'PUT /api/users',
  'DELETE /api/users',
  'GET /api/keys',
  'POST /api/keys',
  'PUT /api/keys',
  'DELETE /api/keys',
  'GET /api/settings',
  'PUT /api/settings',
  'POST /api/settings/apply-visibility',
  'GET /api/activity',
  'DELETE /api/activity',
  'POST /api/auth/sign-in/email',
]

/** Additional routes of our own. */
const OURS = [
  'POST /api/auth/sign-up/email',
  'POST /api/auth/sign-out',
  'GET /api/auth/get-session',
  'OPTIONS /api/hosting/{key}',
  'GET /api/users/usage',
  'PUT /api/users/quota',
  'GET /api/me/usage',
  'GET /api/activity/security.csv',
  'GET /api/files/details',
  'GET /api/files/sign',
  'PUT /api/files/content',
  'GET /api/files/versions',
  'DELETE /api/files/versions',
  'GET /api/files/versions/content',
  'POST /api/files/versions/restore',
  'PUT /api/files/visibility',
  'GET /api/folders/checksums',
  'GET /api/folders/totals',
  'GET /api/folders/sizes',
  'POST /api/folders/replace',
  'GET /api/search',
  'GET /api/changes',
  'GET /api/changes/latest',
  'GET /api/changes/files',
  'GET /api/trash',
  'POST /api/files/copy',
  'POST /api/trash',
  'DELETE /api/trash',
  'POST /api/trash/restore',
  'GET /api/shares',
  'GET /api/shares/visits',
  'GET /api/s/{slug}',
  'POST /api/s/{slug}/open',
  'OPTIONS /api/s/{slug}/uploads',
  'OPTIONS /api/s/{slug}/uploads/{id}',
  'POST /api/s/{slug}/uploads',
  'GET /api/s/{slug}/uploads/{id}',
  'PATCH /api/s/{slug}/uploads/{id}',
  'DELETE /api/s/{slug}/uploads/{id}',
  'GET /api/s/{slug}/files/{id}',
  'GET /api/s/{slug}/thumbs/{id}',
  'GET /api/files/thumbnail/{id}',
  'GET /api/s/{slug}/archive',
  'POST /api/s/{slug}/files',
  'POST /api/shares',
  'PUT /api/shares',
  'DELETE /api/shares',
  'GET /api/invitations',
  'POST /api/invitations',
  'DELETE /api/invitations',
  'POST /api/invitations/open',
  'POST /api/invitations/accept',
  'GET /api/webhooks',
  'GET /api/webhooks/for-shares',
  'GET /api/webhooks/deliveries',
  'POST /api/webhooks',
  'PUT /api/webhooks',
  'DELETE /api/webhooks',
  'POST /api/webhooks/test',
  'POST /api/webhooks/retry',
  'OPTIONS /api/uploads',
  'OPTIONS /api/uploads/{id}',
  'POST /api/uploads',
  'GET /api/uploads/{id}',
  'PATCH /api/uploads/{id}',
  'DELETE /api/uploads/{id}',
  'POST /api/folders/import',
  'GET /api/me/security',
  'GET /api/openapi.json',
  'GET /api/docs',
]

let holdfast: Holdfast
let document: Document
beforeAll(async () => {
  holdfast = await startHoldfast()
  document = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
})
afterAll(() => holdfast[Symbol.asyncDispose]())

interface Told extends Operation {
  name: string
}

const operations = (): Told[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`,
    })),
  )

const answers = ({ responses }: Operation): Answer[] =>
  Object.values(responses).filter((response): response is Answer => !('$ref' in response))

/** Returns all bodies with a schema and an example, by place. */
function bodies(): [where: string, media: Media][] {
  const shared = Object.entries(document.components.responses).map(
    ([name, answer]) => [name, Object.values(answer.content ?? {})] as const,
  )
  const own = operations().map((operation) => {
    const contents = [operation.requestBody, ...answers(operation)].map((part) => part?.content ?? {})
    return [operation.name, contents.flatMap((content) => Object.values(content))] as const
  })
  return [...shared, ...own].flatMap(([where, media]) => media.map((one): [string, Media] => [where, one]))
}

describe('GET /api/openapi.json', () => {
  test('is OpenAPI 3.1 to a public validator', async () => {
    const validator = new Validator()

    expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  test('is kept by no cache, as all JSON', async () => {
    expect((await holdfast.fetch('/api/openapi.json')).headers.get('cache-control')).toBe('no-store')
  })

  test('describes every route of the interface and our own, and no other', () => {
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...INTERFACE, ...OURS].sort())
  })

  test('gives every operation a unique name, a summary and a described tag', () => {
    const ids = operations().map(({ operationId }) => operationId)
    const tags = document.tags.map(({ name }) => name)

    expect(new Set(ids).size).toBe(ids.length)
    for (const { name, summary, tags: own } of operations()) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].*[^.]$/)])
      expect(tags).toEqual(expect.arrayContaining(own))
    }
  })

  test('names the credentials and scope of each operation', () => {
    const security = Object.fromEntries(operations().map(({ name, security }) => [name, security]))

    expect(security['GET /api/files']).toEqual([{ session: ['files:read'] }, { apiKey: ['files:read'] }])
    expect(security['GET /api/users']).toEqual([{ session: ['users:manage'] }])
    expect(security['GET /api/health']).toEqual([])
    expect(document.components.securitySchemes).toMatchObject({
      session: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token' },
      apiKey: { type: 'apiKey', in: 'header', name: 'API-Key' },
    })
  })

  test('describes every parameter of a path, and every other one', () => {
    for (const { name, parameters = [] } of operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)

      expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath)
      for (const parameter of parameters) {
        expect([name, parameter.name, parameter.description]).not.toContain('')
        expect([name, parameter.name, parameter.example]).not.toContain(undefined)
      }
    }
  })

  test('has an example of every body, and each is what its schema says', () => {
    const documentation = new Documentation(document)
    for (const [where, { schema, example, examples }] of bodies()) {
      const values = examples ? Object.values(examples).map(({ value }) => value) : [example]

      expect([where, values.length > 0, values.includes(undefined)]).toEqual([where, true, false])
      for (const value of values) documentation.assertValid(schema, value)
    }
  })

  test('has an example of every parameter and header, and each is what its schema says', () => {
    const documentation = new Documentation(document)
    const parameters = operations().flatMap(({ parameters = [] }) => parameters)
    const headers = operations().flatMap((operation) =>
      answers(operation).flatMap((answer) => Object.values(answer.headers ?? {})),
    )

    expect(headers.length).toBeGreaterThan(20)
    for (const { schema, example } of [...parameters, ...headers]) documentation.assertValid(schema, example)
  })

  test('names no schema that nothing refers to', () => {
    const text = JSON.stringify(document)

    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    )
    expect(unused).toEqual([])
  })

  test('names the cookie that the instance sets behind https', async () => {
    await using secure = await startHoldfast({ environment: { BASE_URL: 'https://files.example.com' } })

    const told = (await (await secure.fetch('/api/openapi.json')).json()) as Document

    expect(told.components.securitySchemes['session']?.name).toBe('__Secure-better-auth.session_token')
  })

  test('counts as a request', async () => {
    const environment = { RATE_LIMIT_API: '1' }
    await using limited = await startInside({ clock: new TestClock(), environment })

    const statuses = [await limited.fetch('/api/openapi.json'), await limited.fetch('/api/docs')]

    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
  })
})

describe('the description of the app', () => {
  const options = { sessionCookie: 'session' }
  let inside: Inside
  beforeAll(async () => {
    inside = await startInside()
  })
  afterAll(() => inside[Symbol.asyncDispose]())

  test('must describe every route of the API', () => {
    const routes = inside.server.app.routes
    const forgotten = { method: 'GET', path: '/api/forgotten', hooks: {} }

    expect(() => describeApi([...routes, forgotten], options)).toThrow('GET /api/forgotten')
  })
})

describe('an answer is held against the document, and fails a test', () => {
  const json = (value: unknown, init?: ResponseInit) => Response.json(value, init)
  const documentation = () => new Documentation(document)

  test.each<[what: string, method: string, path: string, answer: Response]>([
    ['a status that is not told', 'GET', '/api/health', json({}, { status: 418 })],
    ['a route that is not told', 'GET', '/api/secret', json({})],
    [
      'a type that is not told',
      'GET',
      '/api/health',
      new Response('x', { headers: { 'Content-Type': 'text/html' } }),
    ],
    ['no body where one is told', 'GET', '/api/health', new Response(null)],
    ['a header that is missing', 'GET', '/api/setup', json({}, { status: 429 })],
  ])('for %s', (_, method, path, answer) => {
    expect(() => documentation().answerTo(method, path, answer)).toThrow(path)
  })

  test('for a field that is missing, of another type, or undocumented', () => {
    const held = documentation()
    const { content } = held.answerTo('GET', '/api/setup', json({})) ?? {}
    const schema = content?.['application/json']?.schema ?? {}
    const setup = { needed: true, tokenRequired: false, originTrusted: true }

    for (const data of [{}, { ...setup, needed: 'yes' }, { ...setup, secret: 'x' }])
      expect(() => held.assertValid(schema, { data, error: null })).toThrow('not as documented')
    held.assertValid(schema, { data: setup, error: null })
  })
})
