import { Elysia } from 'elysia'
import { scopesOf } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { openToAll } from '../../access/plugin.ts'
import { type Described, type Documented, documented } from '../../api/openapi/described.ts'
import { success } from '../../api/schema.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { assertName } from '../../platform/names.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import { lastComponent } from '../../reception/receive.ts'
import { budgetsOf, refuseBusy } from '../../reception/strangers.ts'
import { assertType } from '../../reception/types.ts'
import { refuseFull, type Work } from '../../store/rows.ts'
import * as member from '../uploads/docs.ts'
import { uploadHeaders } from '../uploads/model.ts'
import type { Announcement, Arrived, Attempt, Sender } from '../uploads/sender.ts'
import type { Tus } from '../uploads/tus.ts'
import { findOpen } from './access.ts'
import { admissionOf } from './budgets.ts'
import { folderOf, publish, refusalOfFull, visitSending } from './receive.ts'
import { shareNotFound } from './rules.ts'
import { SharedUploadAnswer, sharedUploadView } from './visitors/model.ts'
import { LOCKED, NO_SHARE, SLUG } from './visitors/module.ts'
import type { Visit } from './visits.ts'

/** Documents a route like that of members, with what is different for visitors. */
function forVisitors({ described, facts }: Documented, change: Partial<Described> & Pick<Described, 'id'>) {
  const { tag: _, ...shared } = described
  const parameters = [SLUG, ...(shared.parameters ?? [])]
  const refusals = shared.refusals && { ...shared.refusals, ...REFUSALS, ...change.refusals }
  return documented('Shares', { ...shared, parameters, ...change, ...(refusals && { refusals }) }, facts)
}

const REFUSALS = {
  401: [LOCKED],
  403: ["This share doesn't accept files"],
  404: [NO_SHARE, 'Upload not found'],
}

const GET_SHARED_UPLOAD_ABILITIES = openToAll(
  forVisitors(member.getUploadAbilities, { id: 'getSharedUploadAbilities' }),
)

const GET_ABILITIES_OF_SHARED_UPLOAD = openToAll(
  forVisitors(member.getAbilitiesOfUpload, { id: 'getAbilitiesOfSharedUpload' }),
)

const CREATE_SHARED_UPLOAD = openToAll({
  ...forVisitors(member.createUpload, {
    id: 'createSharedUpload',
    summary: 'Begin an upload to a share',
    description:
      'By tus 1.0.0, for a share with `canWrite`. Of `Upload-Metadata` only `filename` counts. A place under the limits of ' +
      'the share is reserved until the upload is finished, canceled or expired: two minutes after it began, or a day after ' +
      'its last byte. A cookie tells the visitor from others and must be sent with the other requests.',
    refusals: {
      409: [],
      413: ['This drop box has no room for these files'],
      415: ['This share only accepts image/*, so it refuses "notes.txt"'],
    },
  }),
  parse: 'none' as const,
  response: { 201: SharedUploadAnswer },
})

const GET_SHARED_UPLOAD = openToAll({
  ...forVisitors(member.getUpload, { id: 'getSharedUpload' }),
  response: { 200: SharedUploadAnswer },
})

const CONTINUE_SHARED_UPLOAD = openToAll({
  ...forVisitors(member.continueUpload, {
    id: 'continueSharedUpload',
    description:
      'Appends at the current offset. The last byte turns the upload into a file; a taken name gets a number.',
  }),
  parse: 'none' as const,
})

const END_SHARED_UPLOAD = openToAll({
  ...forVisitors(member.endUpload, { id: 'endSharedUpload' }),
  parse: 'none' as const,
})

/** Builds `/api/s/:slug/uploads`: resumable uploads of visitors by tus 1.0.0. */
export function visitorUploadRoutes(deps: Context, tus: Tus) {
  const senderOf = async (slug: string, request: Request) => {
    const visit = await visitSending(deps, slug, request)
    return { sender: new Visitor(visit), cookies: visit.cookies }
  }
  return new Elysia({ prefix: '/api/s/:slug/uploads' })
    .options('/', () => tus.describe(), { ...GET_SHARED_UPLOAD_ABILITIES })
    .options('/:id', () => tus.describe(), { ...GET_ABILITIES_OF_SHARED_UPLOAD })
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
      { ...CREATE_SHARED_UPLOAD },
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
      { ...GET_SHARED_UPLOAD },
    )
    .patch(
      '/:id',
      async ({ params: { slug, id }, request }) => {
        const { sender, cookies } = await senderOf(slug, request)
        const headers = new Headers(visitorHeaders(await tus.continue(sender, id, request)))
        for (const cookie of cookies) headers.append('Set-Cookie', cookie)
        return new Response(null, { status: 204, headers })
      },
      { ...CONTINUE_SHARED_UPLOAD },
    )
    .delete(
      '/:id',
      async ({ params: { slug, id }, request }) => {
        await tus.end((await senderOf(slug, request)).sender, id, request)
        return new Response(null, { status: 204 })
      },
      { ...END_SHARED_UPLOAD },
    )
}

/** Returns the headers with the progress of an upload, without the id of its file. */
function visitorHeaders(row: Parameters<typeof uploadHeaders>[0]): Record<string, string> {
  const { 'Holdfast-File-Id': _, ...headers } = uploadHeaders(row)
  return headers
}

/** Maximum unfinished uploads of one visitor, by its cookie and by its address. */
const MAX_UNFINISHED = 100
/** Maximum unfinished uploads of one visitor of which no byte has arrived. */
const MAX_EMPTY = 20
/** Maximum unfinished uploads of all visitors of a share. */
const MAX_UNFINISHED_OF_SHARE = 1000

/**
 * Visitor that sends uploads to a share. Each reserves its place under the limits when it begins, and returns it when
 * it ends without a file.
 */
class Visitor implements Sender {
  /** An announcement without a byte gives its place back soon. */
  readonly patienceMs = 120_000
  readonly #tree: TreeContext
  readonly #visit: Visit

  constructor(visit: Visit) {
    this.#tree = visit.tree
    this.#visit = visit
  }

  get identity() {
    const { share, visitor, device } = this.#visit
    const address = rateLimitBucket(device.ipAddress)
    return { userId: share.userId, keyId: null, shareId: share.id, visitor, address }
  }

  /** Reads the name alone: folder and visibility are those of the share. */
  async announce(metadata: ReadonlyMap<string, string>) {
    if (metadata.has('replaces')) throw refuseInvalid('A visitor cannot replace files')
    const name = lastComponent(metadata.get('filename') ?? metadata.get('name') ?? '')
    assertName(name, 'The file name in "Upload-Metadata"')
    assertType(this.#visit.share, name, 'share')
    return { name, folder: '', visibility: null }
  }

  *authorize({ length }: Announcement): Work<void> {
    const { store } = this.#tree
    const { share, owner } = yield* findOpen(this.#tree, this.#visit.share.slug)
    if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
    const soon = this.#tree.clock.now() + this.patienceMs
    const sender = { ...this.identity, soon }
    const unfinished = yield* store.resumables.countUnfinishedOf(share.id, sender)
    if (unfinished.own >= MAX_UNFINISHED)
      throw new Refusal('too-many', `A visitor may have at most ${MAX_UNFINISHED} unfinished uploads`)
    if (unfinished.empty >= MAX_EMPTY || unfinished.all >= MAX_UNFINISHED_OF_SHARE) throw refuseBusy()
    if (length > (yield* budgetsOf(this.#tree, share)).own) throw refuseFull()
    const sent = { files: 1, bytes: length }
    if (!(yield* store.shares.addReceived(share.id, sent)))
      throw yield* refusalOfFull(this.#tree, share, sent)
  }

  async admission() {
    return admissionOf(this.#visit)
  }

  // Its share decides, whenever it is found.
  async assertReached(): Promise<void> {}

  async assertPublishable(): Promise<void> {
    await this.#tree.store.read(() => folderOf(this.#tree, this.#visit.share))
  }

  async publish({ row, staged, ...finished }: Arrived): Promise<void> {
    await publish(this.#visit, [{ name: row.name, staged }], { id: row.id, ...finished })
  }

  /** Runs `receive`. Strangers cannot fill the history of the owner with their failures. */
  async recordFailure<Answer>({ toRefusal }: Attempt, receive: () => Promise<Answer>): Promise<Answer> {
    try {
      return await receive()
    } catch (error) {
      throw toRefusal(error)
    }
  }
}
