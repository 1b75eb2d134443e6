import { documented } from '../../api/openapi/described.ts'
import type { Answer } from '../../api/openapi/document.ts'

const document = (type: string, description: string, example: unknown): Answer => ({
  description,
  content: { [type]: { schema: {}, example } },
})

/** `GET /api/openapi.json` */
export const getOpenApi = documented(
  'System',
  {
    id: 'getOpenApi',
    summary: 'Get this document',
    responses: {
      200: document('application/json', 'OpenAPI 3.1.', { openapi: '3.1.1', info: { title: 'Holdfast' } }),
    },
  },
  { isCompressed: true },
)

/** `GET /api/docs` */
export const getDocs = documented(
  'System',
  {
    id: 'getDocs',
    summary: 'Read this document',
    responses: { 200: document('text/html', 'A page.', '<!doctype html>…') },
  },
  { isCompressed: true },
)
