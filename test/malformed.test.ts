import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  IsArray,
  IsBoolean,
  IsInteger,
  IsLiteral,
  IsNumber,
  IsObject,
  IsString,
  IsUnion,
  type TSchema,
} from 'typebox'
import Value from 'typebox/value'
import { withHoldfast } from './support/fixture.ts'
import { BASE_URL, type Holdfast, messageOf, startHoldfast, startInside } from './support/holdfast.ts'

const MAX_JSON_BYTES = 1024 ** 2
/** Share that takes files. */
const SLUG = 'malformed'

const holdfast = withHoldfast()
/** Registration is closed once there is an holdfast. */
const unregistered: Holdfast = await startHoldfast()
beforeAll(async () => {
  const folder = await holdfast.api.createFolder('box')
  const box = { slug: SLUG, folderId: folder.id, canRead: false, canWrite: true }
  await holdfast.api.data('POST', '/shares', box)
})
afterAll(() => unregistered[Symbol.asyncDispose]())

interface WriteRoute {
  name: string
  method: string
  path: string
  isPublic: boolean
  /** Schema of its JSON body; `undefined` without one. */
  schema: TSchema | undefined
}

const inside = await startInside()
/** Routes of the API with unsafe methods. */
const ROUTES: WriteRoute[] = inside.server.app.routes
  .filter(({ method, path }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && path.startsWith('/api/'))
  .map(({ method, path, hooks }) => ({
    name: `${method} ${path}`,
    method,
    path: path.replace(':slug', SLUG),
    isPublic: hooks.detail.security.length === 0,
    schema: hooks.body?.schema,
  }))
await inside[Symbol.asyncDispose]()
const JSON_ROUTES = ROUTES.flatMap((route) => (route.schema ? [{ ...route, schema: route.schema }] : []))

type Body = string | Uint8Array<ArrayBuffer>

/**
 * Sends `body` with all rights, so that the server can refuse only the body.
 *
 * @returns Status and message of a refusal; `undefined` without one.
 * @throws when the response has no envelope.
 */
async function send({ method, path, isPublic }: WriteRoute, body: Body, cookie = holdfast.cookie) {
  const headers = { Origin: BASE_URL, ...(isPublic ? {} : { Cookie: cookie }) }
  const server = path === '/api/auth/sign-up/email' ? unregistered : holdfast
  const response = await server.fetch(path, { method, body, headers })
  const { data, error: told } = (await response.json()) as {
    data: unknown
    error: { message: string } | string | null
  }
  // Failures of OAuth are a text.
  const error = typeof told === 'string' ? { message: told } : told
  const isEnvelope = error === null ? data !== undefined : data == null && error.message.trim() !== ''
  if (!isEnvelope) throw new Error(`${method} ${path} answers without an envelope`)
  return { status: response.status, message: error?.message }
}

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`

const NOT_JSON: [what: string, body: Body][] = [
  ['nothing', ''],
  ['white space', ' \r\n\t'],
  ['words', 'hello'],
  ['an open brace', '{'],
  ['an open string', '{"id":"'],
  ['a comma too many', '{"id":"x",}'],
  ['two values', '{} {}'],
  ['NaN', '{"id":NaN}'],
  ['single quotes', "{'id':'x'}"],
  ['a comment', '{/* */}'],
  ['a form', 'id=x&name=y'],
  ['XML', '<id>x</id>'],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['NUL bytes', new Uint8Array(64)],
  ['100,000 open brackets', '['.repeat(100_000)],
  ['100,000 open braces', '{"id":'.repeat(100_000)],
]

const NO_OBJECT: [what: string, body: Body][] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a huge number', '1e999'],
  ['a string', '"id"'],
  ['an empty array', '[]'],
  ['an array of objects', '[{"id":"x"}]'],
  ['arrays 32 deep', nested('[', ']', 32)],
]

const TOO_DEEP: [what: string, body: Body][] = [
  ['arrays 100,000 deep', nested('[', ']', 100_000)],
  ['objects 100,000 deep', nested('{"id":', '}', 100_000)],
  ['objects 33 deep', nested('{"id":', '}', 33)],
]

const NOTHING_OF_USE: [what: string, body: Body][] = [
  ['an empty object', '{}'],
  ['unknown fields', '{"nope":1,"role":"nope","userId":"x"}'],
  ['an empty name', '{"":""}'],
  ['a prototype', '{"__proto__":{"id":"x","ids":["x"],"all":true,"polluted":true}}'],
  ['a constructor', '{"constructor":{"prototype":{"polluted":true}}}'],
  ['inherited names', '{"toString":1,"hasOwnProperty":1,"valueOf":null,"then":1}'],
]

/** Routes to which an empty body says enough. They follow a sign-in of the last ten minutes, or take a password. */
const NEEDS_NOTHING = /^POST \/api\/(auth\/two-factor\/(enable|disable|generate-backup-codes)|uploads\/sign)$/

const TOO_MUCH: [what: string, body: Body] = ['too much', ' '.repeat(MAX_JSON_BYTES + 1)]

describe.each(JSON_ROUTES)('$name', (route) => {
  test.each(NOT_JSON)('says that %s is no JSON', async (_, body) => {
    expect(await send(route, body)).toEqual({ status: 400, message: 'The body must be JSON' })
  })

  test.each(NO_OBJECT)('says that %s is no object', async (_, body) => {
    expect(await send(route, body)).toEqual({ status: 400, message: 'The body must be of type object' })
  })

  test.each(TOO_DEEP)('refuses %s', async (_, body) => {
    const message = 'The body must be nested at most 32 levels deep'
    expect(await send(route, body)).toEqual({ status: 400, message })
  })

  const useless = NEEDS_NOTHING.test(route.name) ? [] : NOTHING_OF_USE
  test.each(useless)('says which field is missing in %s', async (_, body) => {
    expect(await send(route, body)).toEqual({ status: 400, message: expect.stringMatching(/"\w+"/) })
    expect('polluted' in {}).toBe(false)
  })

  test('names the field that is of a wrong type', async () => {
    for (const [path, schema] of fieldsOf(route.schema)) {
      for (const wrong of WRONG.filter((value) => !fits(schema, value))) {
        const body = JSON.stringify(withField(sampleOf(route.schema), path, wrong))

        expect({ body, ...(await send(route, body)) }).toEqual({
          body,
          status: 400,
          message: expect.stringContaining(`"${path.join('.')}`),
        })
      }
    }
  })

  test('accepts or refuses every text and number in every field', async () => {
    for (const [path] of fieldsOf(route.schema)) {
      for (const extreme of EXTREMES) {
        const body = JSON.stringify(withField(sampleOf(route.schema), path, HOLE)).replace(HOLE_JSON, extreme)

        const { status } = await send(route, body)

        expect({ body: body.slice(0, 200), isHandled: status < 500 }).toMatchObject({ isHandled: true })
      }
    }
  })

  test('reads a body of 1 MiB, and refuses a longer one', async () => {
    expect(await send(route, '[]'.padEnd(MAX_JSON_BYTES))).toMatchObject({ status: 400 })
    expect(await send(route, '[]'.padEnd(MAX_JSON_BYTES + 1))).toEqual({
      status: 413,
      message: 'The body is larger than 1048576 bytes',
    })
  })
})

describe.each(ROUTES.filter(({ schema }) => !schema))('$name, which takes no JSON,', (route) => {
  test.each([...NOT_JSON, ...NO_OBJECT, ...TOO_DEEP, ...NOTHING_OF_USE])('bears %s', async (_, body) => {
    // 404 where there is nothing to act on, such as a provider.
    expect([200, 400, 404]).toContain((await send(route, body)).status)
  })
})

describe('a stranger', () => {
  test.each(ROUTES.filter(({ isPublic }) => !isPublic))(
    'learns nothing from a body at $name',
    async (route) => {
      for (const [what, body] of [...NOT_JSON, ...NO_OBJECT, ...TOO_DEEP, TOO_MUCH]) {
        expect({ what, ...(await send(route, body, 'none=x')) }).toEqual({
          what,
          status: 401,
          message: 'Unauthorized',
        })
      }
    },
  )
})

test('a form that is no UTF-8 is refused', async () => {
  const body = new Uint8Array([0x69, 0x64, 0x73, 0x3d, 0xff])
  const headers = { ...holdfast.withKey, 'Content-Type': 'application/x-www-form-urlencoded' }

  const response = await holdfast.fetch('/api/files/download', { method: 'POST', body, headers })

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    data: null,
    error: { message: 'The body must be JSON or a form in UTF-8' },
  })
})

test.each(['%ff', 'a%c3', '%ed%a0%80', '%c3%28'])('a change with the bytes %p is refused', async (bytes) => {
  const ask = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await holdfast.fetch(path, { method: 'POST', headers, body })
    return [response.status, await messageOf(response)]
  }
  const form = { ...holdfast.withKey, 'Content-Type': 'application/x-www-form-urlencoded' }
  const archive = `/api/folders/import?folder=${bytes}`

  expect(await ask(archive, holdfast.withKey, '')).toEqual([400, 'The query must be UTF-8'])
  expect(await ask(archive, {}, '')).toEqual([401, 'Unauthorized'])
  expect(await ask('/api/files/download', form, `ids=${bytes}`)).toEqual([400, 'The form must be UTF-8'])
})

test.each(['100%', '%zz', '%', '%c3%a9', '%EF%BF%BD'])('a form with the text %p is read', async (text) => {
  const headers = { ...holdfast.withKey, 'Content-Type': 'application/x-www-form-urlencoded' }
  const response = await holdfast.fetch('/api/files/download', {
    method: 'POST',
    headers,
    body: `ids=${text}`,
  })

  expect(response.status).toBe(404)
})

/** Values of every type that JSON has. */
const WRONG = [null, true, 0.5, 'nope', [], {}, [null], [[]], [{ x: 1 }], ['x', 1], { x: 1 }]

/** Placeholder in a body for JSON that `JSON.stringify` does not write. */
const HOLE = 'hole'
const HOLE_JSON = '"hole"'

/** JSON texts of extreme values that pass a check of their type. */
const EXTREMES = [
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b\\nc\\u007f"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"../../../etc/passwd"',
  '"%00%2e%2e%2f"',
  '"\\u202e\\ufeff\\uffff"',
  `"${'x'.repeat(100_000)}"`,
  `"${'/'.repeat(100_000)}"`,
  `"${'a/'.repeat(100_000)}"`,
  '1e999',
  '-1e999',
  '1e308',
  '-1e308',
  '5e-324',
  '-0',
  '9007199254740993',
  '18446744073709551616',
  `1${'0'.repeat(10_000)}`,
  '["\\u0000"]',
  '["\\ud800", "__proto__"]',
  JSON.stringify(Array(50_000).fill('x')),
  JSON.stringify(Array(50_000).fill(1)),
  nested('[', ']', 31),
]

type Path = readonly [string, ...string[]]

/** Returns the fields of a body, including those of nested objects. */
function fieldsOf(schema: TSchema, above: readonly string[] = []): [Path, TSchema][] {
  if (!IsObject(schema)) return []
  return Object.entries(schema.properties).flatMap(([name, property]): [Path, TSchema][] => {
    const path: Path = [above[0] ?? name, ...above.slice(1), ...(above.length > 0 ? [name] : [])]
    return [[path, property], ...fieldsOf(property, path)]
  })
}

const fits = (schema: TSchema, value: unknown) =>
  Value.Check(schema, Value.Clean(schema, structuredClone(value)))

/** Returns the smallest body that matches `schema`. */
function sampleOf(schema: TSchema): unknown {
  const sample = leastOf(schema)
  if (!fits(schema, sample)) throw new Error(`No sample of ${JSON.stringify(schema)}`)
  return sample
}

function leastOf(schema: TSchema): unknown {
  if (IsLiteral(schema)) return schema.const
  if (IsUnion(schema)) return leastOf(schema.anyOf[0] ?? {})
  if (IsString(schema)) return 'x'.repeat(numberOf(schema, 'minLength'))
  if (IsInteger(schema) || IsNumber(schema)) return numberOf(schema, 'minimum')
  if (IsBoolean(schema)) return true
  if (IsArray(schema)) return [leastOf(schema.items)]
  if (!IsObject(schema)) return null
  return Object.fromEntries(
    (schema.required ?? []).map((name) => [name, leastOf(schema.properties[name] ?? {})]),
  )
}

const numberOf = (schema: TSchema, keyword: string) =>
  Number(Object.getOwnPropertyDescriptor(schema, keyword)?.value ?? 1)

/** Sets one field of `body`, at any depth, to `value`. */
function withField(body: unknown, [name, ...below]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const fields = typeof body === 'object' && body !== null ? body : {}
  const field = Object.getOwnPropertyDescriptor(fields, name)?.value
  return { ...fields, [name]: withField(field, below, value) }
}
