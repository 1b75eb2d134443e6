import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { sessionCookieName } from '../../access/plugin.ts'
import { openRoute } from '../../access/route.ts'
import { type Assets, MAIN_FONT, OWN_ASSETS } from '../../api/assets.ts'
import { frameAssets } from '../../api/docs-frame.ts'
import type { Answer, Document } from '../../api/openapi/document.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Route } from './generate.ts'
import type { ApiReference } from './reference.ts'

/** Content security policy of the pages: the style sheet, the script, fonts and pictures of the build. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const document = (type: string, description: string, example: unknown): Answer => ({
  description,
  content: { [type]: { schema: {}, example } },
})

/** Forms of the API's description. Their code is loaded with the first request: most servers get none. */
interface Texts {
  json: () => Promise<string>
  reference: () => Promise<ApiReference>
}

/**
 * Describes the API, for programs and as pages.
 *
 * @param routes Returns all routes of the app, once they are there.
 */
export function apiTexts(
  { config }: Pick<Context, 'config'>,
  { routes, dashboard }: { routes: () => readonly Route[]; dashboard: Assets },
): Texts {
  const described = once(async (): Promise<Document> => {
    const { describeApi } = await import('./generate.ts')
    return describeApi(routes(), { sessionCookie: sessionCookieName(config) })
  })
  return {
    json: once(async () => JSON.stringify(await described())),
    reference: once(async () => {
      const { ApiReference } = await import('./reference.ts')
      const assets = frameAssets(dashboard, MAIN_FONT)
      return new ApiReference(await described(), { assets, address: config.baseUrl.replace(/\/$/, '') })
    }),
  }
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

const NO_PAGE = 'No operation has this name'
const PAGE = document('text/html', 'A page.', '<!doctype html>…')

const GET_DOCS = openRoute('System', {
  id: 'getDocs',
  summary: 'Read this document',
  facts: { isCompressed: true },
  responses: { 200: PAGE },
})

const GET_DOCS_PAGE = openRoute('System', {
  id: 'getDocsPage',
  summary: 'Read about one operation',
  description:
    'The page of an operation by its `operationId`, and `errors`. `search.json` is the index that the pages search.',
  facts: { isCompressed: true, isPage: true },
  parameters: [
    {
      name: 'page',
      in: 'path',
      required: true,
      description: 'Name of the page.',
      schema: { type: 'string' },
      example: 'listFiles',
    },
  ],
  responses: {
    200: {
      ...PAGE,
      content: {
        ...PAGE.content,
        'application/json': {
          schema: {},
          example: [['/api/docs/listFiles', 'API: Files', 'List files', '…']],
        },
      },
    },
  },
  refusals: { 404: [NO_PAGE] },
  pages: [404],
})

/** Builds the routes of the API's documentation: OpenAPI 3.1 for programs, pages for people. */
export function openapiRoutes({ json, reference }: Texts) {
  const pageOf = async (name?: string) => {
    const page = (await reference()).page(name)
    if (page === undefined) throw new Refusal('not-found', NO_PAGE)
    return send(page, {
      'Content-Type': 'text/html;charset=utf-8',
      'Content-Security-Policy': `${PAGE_POLICY}, ${OWN_ASSETS}`,
    })
  }
  return new Elysia({ prefix: '/api' })
    .get('/openapi.json', async () => send(await json(), { ...JSON_TYPE, 'Cache-Control': 'no-store' }), {
      ...GET_OPEN_API,
    })
    .get('/docs', () => pageOf(), { ...GET_DOCS })
    .get(
      '/docs/:page',
      async ({ params: { page } }) =>
        page === 'search.json'
          ? send(JSON.stringify((await reference()).entries()), JSON_TYPE)
          : pageOf(page),
      { ...GET_DOCS_PAGE },
    )
}

const JSON_TYPE = { 'Content-Type': 'application/json;charset=utf-8' }

/** Sends a text that changes with an upgrade of the server only. */
const send = (text: string, headers: Record<string, string>) =>
  new Response(text, { headers: { 'Cache-Control': 'no-cache', ...headers } })
