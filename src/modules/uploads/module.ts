import { Elysia } from 'elysia'
import type { Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { auth, openToAll, WRITE } from '../../access/plugin.ts'
import { whole, within } from '../../access/reach.ts'
import { success } from '../../api/schema.ts'
import { alsoAtStart } from '../../platform/jobs.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import * as docs from './docs.ts'
import { Member } from './member.ts'
import { UploadAnswer, uploadHeaders, viewUpload } from './model.ts'
import { Resumables, type UploadsContext } from './resumables.ts'
import { removeExpiredUploads } from './service.ts'
import { signedRoutes, signRoutes } from './signed/routes.ts'
import { Tus } from './tus.ts'

const UPLOADS_PATH = '/api/uploads'

/** Builds `/api/uploads`: resumable uploads by tus 1.0.0. */
function uploadRoutes(deps: UploadsContext, tus: Tus) {
  const memberOf = (caller: Caller) => new Member(within(deps, caller), caller)
  return new Elysia({ prefix: UPLOADS_PATH })
    .use(auth(deps))
    .options('/', () => tus.describe(), openToAll(docs.getUploadAbilities))
    .options('/:id', () => tus.describe(), openToAll(docs.getAbilitiesOfUpload))
    .post(
      '/',
      async ({ caller, request, set }) => {
        const row = await tus.begin(memberOf(caller), request)
        set.status = 201
        Object.assign(set.headers, uploadHeaders(row), { Location: `${UPLOADS_PATH}/${row.id}` })
        return success({ upload: await viewUpload(deps, row) })
      },
      { ...docs.createUpload, access: WRITE, parse: 'none', response: { 201: UploadAnswer } },
    )
    .get(
      '/:id',
      async ({ caller, params: { id }, request, set }) => {
        const row = await tus.find(memberOf(caller), id, request)
        Object.assign(set.headers, uploadHeaders(row), { 'Upload-Length': String(row.length) })
        if (row.metadata !== '') set.headers['Upload-Metadata'] = row.metadata
        return success({ upload: await viewUpload(deps, row) })
      },
      { ...docs.getUpload, access: WRITE, response: { 200: UploadAnswer } },
    )
    .patch(
      '/:id',
      async ({ caller, params: { id }, request }) => {
        const row = await tus.continue(memberOf(caller), id, request)
        return new Response(null, { status: 204, headers: uploadHeaders(row) })
      },
      { ...docs.continueUpload, access: WRITE, parse: 'none' },
    )
    .delete(
      '/:id',
      async ({ caller, params: { id }, request }) => {
        await tus.end(memberOf(caller), id, request)
        return new Response(null, { status: 204 })
      },
      { ...docs.endUpload, access: WRITE, parse: 'none' },
    )
}

/** Creates the module of resumable uploads (tus 1.0.0). */
export function createUploads(context: Context) {
  const { config, clock } = context
  const uploads: UploadsContext = whole({ ...context, resumables: new Resumables(context) })
  const { resumables } = uploads
  const tus = new Tus(uploads)
  return {
    routes: new Elysia()
      .use(uploadRoutes(uploads, tus))
      .use(signRoutes(context))
      .use(signedRoutes(context, tus)),
    resumables,
    /** Requests for uploads of any sender, for visitors of shares. */
    tus,
    /** Limiter of requests to uploads that have begun. */
    limiter: new RateLimiter({ limit: config.uploadRequestsPerMinute, monotonic: clock.monotonic }),
    jobs: [
      alsoAtStart('* * * * *', 'Removing expired uploads', () => removeExpiredUploads(uploads)),
      alsoAtStart('* * * * *', 'Removing used upload links', async () => {
        await context.store.removeInSlices((limit) =>
          context.store.uploadLinks.removeExpired(clock.now(), limit),
        )
      }),
    ],
    stop: () => resumables.settle(),
  }
}
