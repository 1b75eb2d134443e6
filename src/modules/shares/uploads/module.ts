import { Elysia } from 'elysia'
import type { Context } from '../../../access/context.ts'
import { openToAll } from '../../../access/plugin.ts'
import { success } from '../../../api/schema.ts'
import { uploadHeaders } from '../../uploads/model.ts'
import type { Tus } from '../../uploads/tus.ts'
import { visitSending } from '../receive.ts'
import { SharedUploadAnswer, sharedUploadView } from '../visitors/model.ts'
import * as docs from './docs.ts'
import { Visitor } from './sender.ts'

/** Builds `/api/s/:slug/uploads`: resumable uploads of visitors by tus 1.0.0. */
export function visitorUploadRoutes(deps: Context, tus: Tus) {
  const senderOf = async (slug: string, request: Request) => {
    const visit = await visitSending(deps, slug, request)
    return { sender: new Visitor(deps, visit), cookies: visit.cookies }
  }
  return new Elysia({ prefix: '/api/s/:slug/uploads' })
    .options('/', () => tus.describe(), openToAll(docs.getAbilities))
    .options('/:id', () => tus.describe(), openToAll(docs.getAbilitiesOfUpload))
    .post(
      '/',
      async ({ params: { slug }, request, set }) => {
        const { sender, cookies } = await senderOf(slug, request)
        const row = await tus.begin(sender, request)
        set.status = 201
        Object.assign(set.headers, visitorHeaders(row), { Location: `/api/s/${slug}/uploads/${row.id}` })
        if (cookies.length > 0) set.headers['set-cookie'] = cookies
        return success({ upload: sharedUploadView(row) })
      },
      openToAll({ ...docs.createUpload, parse: 'none' as const, response: { 201: SharedUploadAnswer } }),
    )
    .get(
      '/:id',
      async ({ params: { slug, id }, request, set }) => {
        const { sender, cookies } = await senderOf(slug, request)
        const row = await tus.find(sender, id, request)
        Object.assign(set.headers, visitorHeaders(row), { 'Upload-Length': String(row.length) })
        if (row.metadata !== '') set.headers['Upload-Metadata'] = row.metadata
        if (cookies.length > 0) set.headers['set-cookie'] = cookies
        return success({ upload: sharedUploadView(row) })
      },
      openToAll({ ...docs.getUpload, response: { 200: SharedUploadAnswer } }),
    )
    .patch(
      '/:id',
      async ({ params: { slug, id }, request }) => {
        const { sender, cookies } = await senderOf(slug, request)
        const headers = new Headers(visitorHeaders(await tus.continue(sender, id, request)))
        for (const cookie of cookies) headers.append('Set-Cookie', cookie)
        return new Response(null, { status: 204, headers })
      },
      openToAll({ ...docs.continueUpload, parse: 'none' as const }),
    )
    .delete(
      '/:id',
      async ({ params: { slug, id }, request }) => {
        await tus.end((await senderOf(slug, request)).sender, id, request)
        return new Response(null, { status: 204 })
      },
      openToAll({ ...docs.endUpload, parse: 'none' as const }),
    )
}

/** Returns the headers with the progress of an upload, without the id of its file. */
function visitorHeaders(row: Parameters<typeof uploadHeaders>[0]): Record<string, string> {
  const { 'Holdfast-File-Id': _, ...headers } = uploadHeaders(row)
  return headers
}
