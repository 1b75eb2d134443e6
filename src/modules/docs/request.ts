import type { Answer, Operation, Parameter } from '../../api/openapi/document.ts'

/** Operation of the document with its place. */
export interface Call {
  method: string
  path: string
  operation: Operation
}

/** Request of a sample, in terms of HTTP. */
export interface Ask extends Call {
  url: string
  query: [name: string, value: unknown][]
  headers: [name: string, value: string][]
  body?: Body | undefined
  /** Credentials that the samples send. */
  by: 'key' | 'session' | undefined
  /** Name under which a response that is no JSON is saved. */
  saves: string | undefined
  /** Fields of query, path and body by their names. */
  given: Record<string, unknown>
}

export type Body =
  | { type: 'json'; value: unknown }
  | { type: 'form'; fields: Record<string, unknown> }
  | { type: 'bytes'; media: string; file: string }

/** Account of the samples. */
export const SIGN_IN = { email: 'ada@example.com', password: 'correct horse battery staple' }
/** File that samples send. */
export const FILE = 'harbour.jpg'
/** Parameters, the first of which is in the sample of an operation that requires none. */
const TELLING = ['q', 'key', 'limit']

/** Returns the request of an operation's samples. */
export function askOf(call: Call, address: string): Ask {
  const { operation } = call
  const { parameters = [], security, operationId } = operation
  const query = queryOf(operationId, parameters)
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const filled = inPath.reduce(
    (path, { name, example }) =>
      path.replace(`{${name}}`, String(example).split('/').map(encodeURIComponent).join('/')),
    call.path,
  )
  const body = bodyOf(operation)
  const byKey = security.some((requirement) => 'apiKey' in requirement)
  const isOpen = security.every((requirement) => Object.keys(requirement).length === 0)
  const isSession = SESSION_BY_ITSELF.has(operationId)
  const headers = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.required)
    .map(({ name, example }): [string, string] => [name, String(example)])
  const sessionOnly = (!byKey && !isOpen) || isSession
  return {
    ...call,
    url: `${address}${filled}`,
    query,
    // The sign-in routes refuse a cookie without the origin of the page.
    headers: [
      ...(sessionOnly && call.path.startsWith('/api/auth/') && call.method !== 'GET'
        ? [['Origin', new URL(address).origin] satisfies [string, string]]
        : []),
      ...headers,
    ],
    body,
    by: byKey && !isOptional(security) ? 'key' : sessionOnly ? 'session' : undefined,
    saves: savesOf(operation),
    given: {
      ...Object.fromEntries([...inPath.map(({ name, example }) => [name, example] as const), ...query]),
      ...(body?.type === 'json' && typeof body.value === 'object' && body.value),
      ...(body?.type === 'form' && body.fields),
    },
  }
}

/** Operations that end or show the session of their request, but are open to requests without one. */
const SESSION_BY_ITSELF = new Set(['signOut', 'getSession'])

const isOptional = (security: Operation['security']) =>
  security.some((requirement) => Object.keys(requirement).length === 0)

/** Returns the parameters of a sample: those that are required, or one that tells most. */
function queryOf(id: string, parameters: readonly Parameter[]): Ask['query'] {
  const all = parameters.filter((parameter) => parameter.in === 'query')
  const required = all.filter((parameter) => parameter.required)
  const telling = id === 'listFiles' ? ['limit'] : TELLING
  const first = telling.flatMap((name) => all.find((parameter) => parameter.name === name) ?? []).slice(0, 1)
  return (required.length > 0 ? required : first).map(({ name, example }) => [name, example])
}

function bodyOf({ requestBody }: Operation): Body | undefined {
  const [found] = Object.entries(requestBody?.content ?? {})
  if (!found || !requestBody) return undefined
  const [media, { example }] = found
  if (media === 'application/json') return { type: 'json', value: example }
  if (media === 'multipart/form-data') {
    const { files: _, ...fields } = Object.fromEntries(Object.entries(Object(example)))
    return { type: 'form', fields }
  }
  if (!requestBody.required) return undefined
  return { type: 'bytes', media, file: media === 'application/zip' ? 'site.zip' : FILE }
}

/** Returns the name under which a response is saved: that of its header, or one by its type. */
function savesOf({ responses }: Operation): string | undefined {
  const [answer] = Object.values(responses)
  if (!answer || '$ref' in answer) return undefined
  const [type] = Object.keys(answer.content ?? {})
  const named = /filename="([^"]+)"/.exec(String(answer.headers?.['Content-Disposition']?.example))?.[1]
  const byType: Record<string, string> = { '*/*': FILE, 'image/webp': 'harbour.webp', 'text/csv': 'log.csv' }
  return named ?? byType[type ?? '']
}

/** Returns the query of a request with its question mark. */
export const searchOf = (query: Ask['query']) =>
  query.length === 0
    ? ''
    : `?${query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`

/** Returns the first response of an operation, which is not a refusal. */
export const answerOf = ({ responses }: Operation): Answer | undefined => {
  const [first] = Object.values(responses)
  return first && '$ref' in first ? undefined : first
}

/** True for a response without an end. */
export const isStreamed = (operation: Operation) =>
  answerOf(operation)?.content?.['text/event-stream'] !== undefined

/** True for a response in JSON. */
export const isJson = (operation: Operation) =>
  Object.keys(answerOf(operation)?.content ?? {})[0] === 'application/json'
