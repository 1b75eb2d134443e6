import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import type { Assets } from '../../api/assets.ts'
import { EXAMPLE_ID, FILE, OTHER_ID, SHARE } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { alsoAtStart } from '../../platform/jobs.ts'
import type { ArchiveResponder } from '../archives/respond.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import type { Tus } from '../uploads/tus.ts'
import { Downloads } from './downloads.ts'
import { announceExpired } from './events.ts'
import {
  ChangeBody,
  CreateBody,
  EndBody,
  ShareAnswer,
  SharesAnswer,
  SharesQuery,
  shareView,
  VisitsAnswer,
  VisitsQuery,
  visitView,
} from './model.ts'
import { pageRoutes } from './page/module.ts'
import {
  changeShare,
  createShare,
  endShare,
  listShares,
  listVisits,
  pruneVisits,
  type WholeShare,
} from './service.ts'
import { visitorUploadRoutes } from './uploads.ts'
import { visitorRoutes } from './visitors/module.ts'

const NOT_FOUND = 'Share not found'

const TAKEN = 'Another share has this "slug" already'

const view = ({ share, ...rest }: WholeShare) => shareView(share, rest)

const LIST_SHARES = route('Shares', READ, {
  id: 'listShares',
  summary: 'List the caller’s shares',
  description: 'Newest first, those that have expired or are used up included.',
  query: SharesQuery,
  answer: SharesAnswer,
  returns: 'All of them.',
})

const LIST_SHARE_VISITS = route('Shares', READ, {
  id: 'listShareVisits',
  summary: 'List the visits of a share',
  description:
    'The latest 200, newest first: who opened it, begun and completed downloads, received files and wrong passwords. ' +
    'A download that is sent at once is only listed as completed. They are removed with the ' +
    'share, or with old entries of the history.',
  query: VisitsQuery,
  answer: VisitsAnswer,
  returns: 'Visits with the address and browser of each.',
  refusals: { 400: ['"before" is not a visit of this share'], 404: [NOT_FOUND] },
})

const CREATE_SHARE = route('Shares', READ, {
  id: 'createShare',
  summary: 'Share files and folders',
  description:
    'Items are shared by id, so a share stays valid when they are renamed or moved. A folder is shared with everything ' +
    'below it. With `canWrite` visitors send files to the folder `folderId`, which needs `files:write`; `maxFiles`, ' +
    '`maxBytes` and `types` limit them. `notify` names a webhook that gets the events of the share. Without a `slug` the server chooses 12 random characters. The password is stored as a hash.',
  example: {
    items: [{ fileId: FILE.id }, { folderId: OTHER_ID }],
    title: SHARE.title,
    password: 'low tide at noon',
    expiresAt: '2026-12-01T00:00:00.000Z',
    maxDownloads: 3,
  },
  takes: CreateBody,
  answer: ShareAnswer,
  returns: 'The share.',
  refusals: {
    400: [
      '"items" must name at least one file or folder',
      'The root folder cannot be shared: choose files or folders',
    ],
    404: ['File not found', 'Folder not found', 'Webhook not found'],
    409: [TAKEN, 'You have 1000 shares already: end some first'],
  },
})

const CHANGE_SHARE = route('Shares', READ, {
  id: 'changeShare',
  summary: 'Change the rules of a share',
  description:
    'A field that is missing keeps its value; null removes the rule. Another password, or none, closes the share to ' +
    'visitors who opened it with the previous one.',
  example: { id: EXAMPLE_ID, password: null, maxDownloads: 10 },
  takes: ChangeBody,
  answer: ShareAnswer,
  returns: 'The share.',
  refusals: { 404: [NOT_FOUND, 'File not found', 'Webhook not found'], 409: [TAKEN] },
})

const END_SHARE = route('Shares', READ, {
  id: 'endShare',
  summary: 'End a share',
  description: 'The next request of a visitor is refused. With `users:manage`, the share of any account.',
  takes: EndBody,
  answer: emptyEnvelope,
  returns: 'Ended.',
  refusals: { 404: [NOT_FOUND] },
})

/** Builds `/api/shares`: the caller's own shares. */
function shareRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/shares' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query }) =>
        success({ shares: (await listShares(within(deps, caller), caller, query.all === '1')).map(view) }),
      { ...LIST_SHARES },
    )
    .get(
      '/visits',
      async ({ caller, query }) =>
        success({ visits: (await listVisits(within(deps, caller), caller, query)).map(visitView) }),
      { ...LIST_SHARE_VISITS },
    )
    .post(
      '/',
      async ({ caller, body }) =>
        success({ share: view(await createShare(within(deps, caller), caller, body)) }),
      { ...CREATE_SHARE },
    )
    .put(
      '/',
      async ({ caller, body }) =>
        success({ share: view(await changeShare(within(deps, caller), caller, body)) }),
      { ...CHANGE_SHARE },
    )
    .delete('/', ({ caller, body }) => done(endShare(within(deps, caller), caller, body.id)), {
      ...END_SHARE,
    })
}

interface Used {
  respondWithArchive: ArchiveResponder
  tus: Tus
  thumbnails: Thumbnails
  /** Built files, of which pages of shares embed a script. */
  dashboard: Assets
}

/** Creates the module of links by which people without an account read files. */
export function createShares(context: Context, { respondWithArchive, tus, thumbnails, dashboard }: Used) {
  const downloads = new Downloads(context)
  return {
    routes: new Elysia()
      .use(shareRoutes(context))
      .use(visitorRoutes(context, { downloads, respondWithArchive, thumbnails }))
      .use(visitorUploadRoutes(context, tus))
      .use(pageRoutes(context, { dashboard, thumbnails })),
    jobs: [
      alsoAtStart('41 * * * *', 'Removing old visits of shares', () => pruneVisits(context)),
      alsoAtStart('* * * * *', 'Announcing expired shares', () => announceExpired(context)),
    ],
    flush: () => downloads.flush(),
  }
}
