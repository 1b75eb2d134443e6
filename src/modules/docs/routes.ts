import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { sessionCookieName } from '../../access/plugin.ts'
import { openRoute } from '../../access/route.ts'
import type { Answer } from '../../api/openapi/document.ts'
import { describeApi, type Route } from './generate.ts'
import { PAGE_POLICY, toPage } from './page.ts'

const document = (type: string, description: string, example: unknown): Answer => ({
  description,
  content: { [type]: { schema: {}, example } },
})

/** Both forms of the document, built on first request. */
interface Texts {
  json: () => string
  page: () => string
}

/**
 * Builds both forms of the document.
 *
 * @param routes Returns all routes of the app, once they are there.
 */
export function apiTexts({ config }: Pick<Context, 'config'>, routes: () => readonly Route[]): Texts {
  const document = once(() => describeApi(routes(), { sessionCookie: sessionCookieName(config) }))
  return { json: once(() => JSON.stringify(document())), page: once(() => toPage(document())) }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const GET_OPEN_API = openRoute('System', {
  id: 'getOpenApi',
  summary: 'Get this document',
  facts: { isCompressed: true },
  responses: {
    200: document('application/json', 'OpenAPI 3.1.', {
      openapi: '3.1.1',
      info: { title: 'Holdfast' },
    }),
  },
})

const GET_DOCS = openRoute('System', {
  id: 'getDocs',
  summary: 'Read this document',
  facts: { isCompressed: true },
  responses: { 200: document('text/html', 'A page.', '<!doctype html>…') },
})

/** Builds the routes of the API's documentation: OpenAPI 3.1 for programs, a page for people. */
export function openapiRoutes({ json, page }: Texts) {
  return new Elysia({ prefix: '/api' })
    .get(
      '/openapi.json',
      () => send(json(), { 'Content-Type': 'application/json;charset=utf-8', 'Cache-Control': 'no-store' }),
      { ...GET_OPEN_API },
    )
    .get(
      '/docs',
      () =>
        send(page(), { 'Content-Type': 'text/html;charset=utf-8', 'Content-Security-Policy': PAGE_POLICY }),
      { ...GET_DOCS },
    )
}

/** Sends a text that changes with an upgrade of the server only. */
const send = (text: string, headers: Record<string, string>) =>
  new Response(text, { headers: { 'Cache-Control': 'no-cache', ...headers } })
