import { beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { version } from '../../package.json'
import type { Answer, Document, Media, Operation } from '../../src/api/openapi/document.ts'
import { describeApi } from '../../src/modules/docs/generate.ts'
import { Documentation } from '../support/documented.ts'
import { withInside } from '../support/fixture.ts'
import { startHoldfast, startInside, TestClock } from '../support/holdfast.ts'

/** Documented operations: methods by path. */
const OPERATIONS = {
  '/api/activity': 'DELETE GET',
  '/api/activity/security.csv': 'GET',
  '/api/auth/device': 'GET',
  '/api/auth/device/approve': 'POST',
  '/api/auth/device/code': 'POST',
  '/api/auth/device/deny': 'POST',
  '/api/auth/device/token': 'POST',
  '/api/auth/get-session': 'GET',
  '/api/auth/methods': 'GET',
  '/api/auth/confirm': 'POST',
  '/api/auth/set-password': 'POST',
  '/api/auth/two-factor/enable': 'POST',
  '/api/auth/two-factor/disable': 'POST',
  '/api/auth/two-factor/generate-backup-codes': 'POST',
  '/api/auth/two-factor/verify-totp': 'POST',
  '/api/auth/two-factor/verify-backup-code': 'POST',
  '/api/auth/passkey/delete-passkey': 'POST',
  '/api/auth/passkey/generate-authenticate-options': 'GET',
  '/api/auth/passkey/generate-register-options': 'GET',
  '/api/auth/passkey/list-user-passkeys': 'GET',
  '/api/auth/passkey/second-factor': 'POST',
  '/api/auth/passkey/update-passkey': 'POST',
  '/api/auth/passkey/verify-authentication': 'POST',
  '/api/auth/passkey/verify-registration': 'POST',
  '/api/auth/callback/oidc': 'GET',
  '/api/auth/backchannel-logout/oidc': 'POST',
  '/api/auth/link-social': 'POST',
  '/api/auth/list-accounts': 'GET',
  '/api/auth/sign-in/link': 'POST',
  '/api/settings/sign-in': 'GET',
  '/api/settings/sign-in/try': 'POST',
  '/api/auth/sign-in/social': 'POST',
  '/api/auth/unlink-account': 'POST',
  '/api/auth/sign-in/email': 'POST',
  '/api/auth/sign-in/forwarded': 'POST',
  '/api/auth/sign-out': 'POST',
  '/api/auth/sign-up/email': 'POST',
  '/api/changes': 'GET',
  '/api/changes/files': 'GET',
  '/api/changes/latest': 'GET',
  '/api/docs': 'GET',
  '/api/docs/{page}': 'GET',
  '/api/files': 'DELETE GET POST PUT',
  '/api/files/canceled': 'POST',
  '/api/files/content': 'PUT',
  '/api/favorites': 'DELETE GET PUT',
  '/api/files/copy': 'POST',
  '/api/files/details': 'GET',
  '/api/files/download': 'POST',
  '/api/files/download/{id}': 'GET',
  '/api/files/move': 'POST',
  '/api/files/fetch': 'DELETE GET POST',
  '/api/files/sign': 'GET POST',
  '/api/files/placeholders': 'GET',
  '/api/files/thumbnail/{id}': 'GET',
  '/api/files/versions': 'DELETE GET',
  '/api/files/versions/content': 'GET',
  '/api/files/versions/restore': 'POST',
  '/api/files/visibility': 'PUT',
  '/api/folders': 'DELETE GET POST PUT',
  '/api/folders/checksums': 'GET',
  '/api/folders/download': 'GET',
  '/api/folders/import': 'POST',
  '/api/folders/move': 'POST',
  '/api/folders/people': 'GET PUT',
  '/api/folders/replace': 'POST',
  '/api/folders/sizes': 'GET',
  '/api/folders/totals': 'GET',
  '/api/health': 'GET',
  '/api/health/ready': 'GET',
  '/api/hosting/{key}': 'GET OPTIONS',
  '/api/invitations': 'DELETE GET POST',
  '/api/invitations/accept': 'POST',
  '/api/invitations/open': 'POST',
  '/api/items': 'DELETE',
  '/api/items/move': 'POST',
  '/api/items/copy': 'POST',
  '/api/items/visibility': 'PUT',
  '/api/keys': 'DELETE GET POST PUT',
  '/api/keys/s3': 'POST',
  '/api/me': 'GET PUT',
  '/api/me/password': 'PUT',
  '/api/me/security': 'GET',
  '/api/me/sessions': 'DELETE GET',
  '/api/me/trusted-devices': 'DELETE',
  '/api/me/usage': 'GET',
  '/api/me/ways-in': 'GET',
  '/api/openapi.json': 'GET',
  '/api/s/{slug}': 'GET',
  '/api/s/{slug}/archive': 'GET',
  '/api/s/{slug}/files': 'POST',
  '/api/s/{slug}/files/{id}': 'GET',
  '/api/s/{slug}/open': 'POST',
  '/api/s/{slug}/thumbs/{id}': 'GET',
  '/api/s/{slug}/uploads': 'OPTIONS POST',
  '/api/s/{slug}/uploads/{id}': 'DELETE GET OPTIONS PATCH',
  '/api/search': 'GET',
  '/api/settings': 'GET PUT',
  '/api/settings/apply-visibility': 'POST',
  '/api/settings/files': 'GET',
  '/api/setup': 'GET',
  '/api/sites': 'DELETE GET POST PUT',
  '/api/sites/ask': 'GET',
  '/api/sites/misses': 'GET',
  '/api/sites/sign': 'POST',
  '/api/shares': 'DELETE GET POST PUT',
  '/api/shares/visits': 'GET',
  '/api/stats': 'GET',
  '/api/trash': 'DELETE GET POST',
  '/api/trash/restore': 'POST',
  '/api/uploads': 'OPTIONS POST',
  '/api/uploads/sign': 'POST',
  '/api/uploads/signed/{token}': 'OPTIONS POST PUT',
  '/api/uploads/signed/{token}/{id}': 'DELETE GET OPTIONS PATCH',
  '/api/uploads/{id}': 'DELETE GET OPTIONS PATCH',
  '/api/users': 'DELETE GET POST PUT',
  '/api/users/quota': 'PUT',
  '/api/users/second-factor': 'DELETE',
  '/api/users/usage': 'GET',
  '/api/webhooks': 'DELETE GET POST PUT',
  '/api/webhooks/deliveries': 'GET',
  '/api/webhooks/for-shares': 'GET',
  '/api/webhooks/retry': 'POST',
  '/api/webhooks/test': 'POST',
}

let document: Document
const holdfast = withInside()
beforeAll(async () => {
  document = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
})

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
    expect(document).toMatchObject({ info: { version } })
  })

  test('is kept by no cache, as all JSON', async () => {
    expect((await holdfast.fetch('/api/openapi.json')).headers.get('cache-control')).toBe('no-store')
  })

  test('describes every route, and no other', () => {
    const told = Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.keys(methods).sort().join(' ').toUpperCase(),
    ])
    expect(Object.fromEntries(told)).toEqual(OPERATIONS)
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
  test('must describe every route of the API', () => {
    const { routes } = holdfast.server.app
    const forgotten = { method: 'GET', path: '/api/forgotten', hooks: {} }

    expect(() => describeApi([...routes, forgotten], options)).toThrow('GET /api/forgotten')
  })
})

describe('an answer is held against the document, and fails a test', () => {
  const json = (value: unknown, init?: ResponseInit) => Response.json(value, init)
  const html = new Response('x', { headers: { 'Content-Type': 'text/html' } })
  const documentation = () => new Documentation(document)

  test.each<[what: string, method: string, path: string, answer: Response]>([
    ['a status that is not told', 'GET', '/api/health', json({}, { status: 418 })],
    ['a route that is not told', 'GET', '/api/secret', json({})],
    ['a type that is not told', 'GET', '/api/health', html],
    ['no body where one is told', 'GET', '/api/health', new Response(null)],
    ['a header that is missing', 'GET', '/api/setup', json({}, { status: 429 })],
  ])('for %s', (_, method, path, answer) => {
    expect(() => documentation().answerTo(method, path, answer)).toThrow(path)
  })

  test('for a field that is missing, of another type, or undocumented', () => {
    const held = documentation()
    const { content } = held.answerTo('GET', '/api/setup', json({})) ?? {}
    const schema = content?.['application/json']?.schema ?? {}
    const setup = { needed: true, tokenRequired: true, originTrusted: false }

    for (const data of [{}, { ...setup, needed: 'yes' }, { ...setup, secret: 'x' }])
      expect(() => held.assertValid(schema, { data, error: null })).toThrow('not as documented')
    held.assertValid(schema, { data: setup, error: null })
  })
})
