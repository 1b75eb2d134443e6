import { IsObject, IsSchema, type TSchema } from 'typebox'
import { SCOPES } from '../../access/caller.ts'
import type { Described, Documented } from '../../api/openapi/described.ts'
import type {
  Answer,
  Document,
  Media,
  Operation,
  Parameter,
  RequestBody,
} from '../../api/openapi/document.ts'
import { exampleOf } from '../../api/openapi/examples.ts'
import { authRefusalAnswer, namedRefusals, refusalAnswer } from '../../api/openapi/refusals.ts'
import { namedSchemas, toJsonSchema } from '../../api/openapi/schemas.ts'
import { TAGS } from '../../api/openapi/tags.ts'
import { AuthFailure, ErrorCode, Failure, isAuthPath } from '../../api/schema.ts'
import { VERSION } from '../../platform/version.ts'

/** Route in the framework's representation. */
export interface Route {
  method: string
  path: string
  hooks: Partial<Documented> & {
    detail?: { security?: Operation['security'] }
    body?: unknown
    query?: unknown
    response?: unknown
  }
}

const DESCRIPTION = `Responses are JSON in an envelope: \`{ data, error: null }\`, or \`{ data: null, error: { message } }\`. \
\
A failure has a code in the header \`Error-Code\`, which stays the same when its message changes. Unknown fields of a body are ignored. HEAD works wherever GET does. A method that a path does not support gets 405 with \
\`Allow\`. Responses have an \`X-Request-Id\` that identifies the request in the server’s log; files by URL and downloads do not.

Programs send an API key, browsers a session. Each route lists the scope that it requires. An account has the scopes of its \
role (${SCOPES.map((scope) => `\`${scope}\``).join(', ')} for an admin), an API key a subset of them.

A rate limit counts the requests of each client address per minute; further ones get 429. Files by URL and \
resumable uploads have separate limits.`

/**
 * Describes the API in OpenAPI 3.1: merges each route's own facts (path, access, schemas), what they imply,
 * and its documentation.
 *
 * @param sessionCookie The session cookie's name.
 * @throws when a route under `/api` is not documented.
 */
export function describeApi(
  routes: readonly Route[],
  { sessionCookie }: { sessionCookie: string },
): Document {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Holdfast',
      version: VERSION,
      summary: 'The file host you run yourself.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This instance.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes.filter(({ path }) => path.startsWith('/api/'))),
    components: {
      schemas: namedSchemas([...routes.flatMap(schemasOf), Failure, AuthFailure, ErrorCode]),
      responses: namedRefusals(),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description:
            'A session, from `POST /api/auth/sign-in/email`. Changes must come from a trusted origin.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-Key',
          description: 'An API key, from `POST /api/keys`. It takes precedence over the session cookie.',
        },
      },
    },
  }
}

function pathsOf(routes: readonly Route[]): Document['paths'] {
  const order = Object.keys(TAGS)
  const described = routes.map((route) => ({ route, described: descriptionOf(route) }))
  const paths: Document['paths'] = {}
  for (const { route, described: text } of described.toSorted(
    (one, other) => order.indexOf(one.described.tag) - order.indexOf(other.described.tag),
  )) {
    const path = templateOf(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route, text) }
  }
  return paths
}

function descriptionOf({ method, path, hooks }: Route): Documented['described'] {
  const described = hooks.described
  if (!described) throw new Error(`The route ${method} ${path} is not documented`)
  return described
}

/** Returns the schemas of a route's body, query and responses. */
function schemasOf({ hooks: { body, query, response } }: Route): TSchema[] {
  const responses = typeof response === 'object' && response !== null ? Object.values(response) : []
  return [body, query, ...responses].flatMap((bridge) => schemaOf(bridge) ?? [])
}

const withoutFinalSlash = (path: string) => path.replace(/(?<=.)\/$/, '')

/**
 * Converts a path of the framework to a template: `:id` becomes `{id}`, and the rest of a path a file's key.
 */
const templateOf = (path: string) =>
  withoutFinalSlash(path)
    .replace(/:(\w+)/g, '{$1}')
    .replace('*', '{key}')

function toOperation(route: Route, described: Documented['described']): Operation {
  const { tag, id, summary, description } = described
  const parameters = [...(described.parameters ?? []), ...queryParameters(schemaOf(route.hooks.query))]
  const requestBody = described.stream ?? jsonBody(schemaOf(route.hooks.body), described)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: described.security ?? route.hooks.detail?.security ?? [],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...successes(route, described), ...refusals(route, described), ...described.responses },
  }
}

/** Returns the schema behind a bridge of `schema.ts`. */
function schemaOf(bridge: unknown): TSchema | undefined {
  const isBridge = typeof bridge === 'object' && bridge !== null && 'schema' in bridge
  return isBridge && IsSchema(bridge.schema) ? bridge.schema : undefined
}

function queryParameters(query: TSchema | undefined): Parameter[] {
  if (!query || !IsObject(query)) return []
  return Object.entries(query.properties).map(([name, property]) => {
    const { description = '', ...schema } = toJsonSchema(property)
    const required = query.required?.includes(name) ?? false
    return {
      name,
      in: 'query',
      required,
      description: String(description),
      schema,
      example: exampleOf(property),
    }
  })
}

function jsonBody(body: TSchema | undefined, { example, takesForm }: Described): RequestBody | undefined {
  if (!body) return undefined
  const media = { schema: toJsonSchema(body), example: example ?? exampleOf(body) }
  return {
    required: true,
    content: {
      'application/json': media,
      ...(takesForm && { 'application/x-www-form-urlencoded': media }),
    },
  }
}

/** Describes the JSON responses, by the statuses that the route has schemas for. */
function successes({ hooks }: Route, { returns }: Described): Record<string, Answer> {
  if (!returns || typeof hooks.response !== 'object' || hooks.response === null) return {}
  const { description, headers, data, examples } =
    typeof returns === 'string' ? { description: returns } : returns
  const answers = Object.entries(hooks.response).flatMap(([status, bridge]) => {
    const schema = schemaOf(bridge)
    if (!schema) return []
    const shown = examples
      ? { examples: toExamples(examples) }
      : { example: exampleOf(schema, data === undefined ? data : { data }) }
    const media = { schema: toJsonSchema(schema), ...shown }
    return [[status, { description, ...(headers && { headers }), content: { 'application/json': media } }]]
  })
  return Object.fromEntries(answers)
}

const toExamples = (examples: Record<string, unknown>): Media['examples'] =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))

function refusals(route: Route, described: Described): Operation['responses'] {
  const own = described.refusals ?? {}
  const implied: Record<string, string[]> = Object.fromEntries(
    impliedStatuses(route, described).map((status) => [status, []]),
  )
  const isAuth = isAuthPath(route.path)
  return Object.fromEntries(
    Object.entries({ ...implied, ...own }).map(([status, texts]) => {
      const said = status === '403' && !own['403'] ? scopeMessages(route) : texts
      const hasPage = described.pages?.includes(Number(status)) ?? false
      return [
        status,
        isAuth ? authRefusalAnswer(Number(status), said) : refusalAnswer(Number(status), said, hasPage),
      ]
    }),
  )
}

/** Returns the statuses implied by a route's access, input and work. */
function impliedStatuses({ method, hooks }: Route, { stream }: Described): number[] {
  const security = hooks.detail?.security ?? []
  const takesBody = hooks.body !== undefined || stream !== undefined
  const isWrite =
    !['GET', 'OPTIONS'].includes(method) && !security.some(({ session }) => session?.join() === 'files:read')
  return [
    ...(takesBody || hooks.query !== undefined ? [400] : []),
    ...(security.length > 0 ? [401, 403] : []),
    ...(takesBody ? [413, 415] : []),
    ...(hooks.body === undefined ? [] : [408, 503]),
    ...(hooks.facts?.limit === 'none' ? [] : [429]),
    500,
    ...(isWrite ? [503, 507] : []),
  ]
}

function scopeMessages({ hooks }: Route): string[] {
  const security = hooks.detail?.security ?? []
  const scopes = security[0]?.['session'] ?? []
  const isForKeys = security.some((requirement) => 'apiKey' in requirement)
  return [
    ...scopes.map((scope) => `Missing required scope "${scope}"`),
    ...(isForKeys
      ? scopes.map((scope) => `API key is missing required scope "${scope}"`)
      : ['This endpoint needs a session, not an API key']),
  ]
}
