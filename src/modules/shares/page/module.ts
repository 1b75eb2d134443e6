import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context, TreeContext } from '../../../access/context.ts'
import { openToAll } from '../../../access/plugin.ts'
import { type Assets, VISITOR_SCRIPTS } from '../../../api/assets.ts'
import { takesForm } from '../../../api/body.ts'
import { sendPage, withHeaders } from '../../../api/page.ts'
import { type PageWords, wordsFor } from '../../../api/pages/texts.ts'
import { jsonBody, queryParameters } from '../../../api/schema.ts'
import { isRefused, Refusal } from '../../../platform/errors.ts'
import type { ShareRow, ShareVisitRow, Work } from '../../../store/rows.ts'
import type { Thumbnails } from '../../thumbnails/thumbnails.ts'
import { newVisitor, openShare, requireFile, requireFolder, visit } from '../access.ts'
import { folderContent, itemsOf, sumOf } from '../content.ts'
import { takenUntil } from '../downloads.ts'
import { receiveFiles, roomOf } from '../receive.ts'
import { recordOpened, uploadsOf, type Visit } from '../visits.ts'
import { boxOf } from './box.ts'
import { contentAfter } from './items.ts'
import { closedPage, onlyFileOf, passwordPage, refusedPage, type Shown, sharePage } from './page.ts'
import { findPicture, picturePage } from './picture.ts'
import { beginningOf } from './show.ts'

/** Maximum files and folders that are read for a page; its bytes may allow fewer. */
const PAGE_ITEMS = 200

const PasswordForm = jsonBody(T.Object({ password: T.Array(T.String(), { minItems: 1 }) }))

const PageQuery = queryParameters(
  T.Object({
    folder: T.Optional(T.String()),
    after: T.Optional(T.String()),
    /** Id of a picture to show large. */
    file: T.Optional(T.String()),
  }),
)

const FACTS = { facts: { limit: 'hosting', isPage: true } } as const

interface PageParts {
  dashboard: Assets
  thumbnails: Thumbnails
}

/** Builds `/s`: the pages of shares for browsers, readable without script. */
export function pageRoutes(deps: Context, { dashboard, thumbnails }: PageParts) {
  const textOf = (path: string) => {
    const bytes = dashboard.get(path)?.read()
    return bytes && new TextDecoder().decode(bytes).trim()
  }
  const scripts = { send: textOf(VISITOR_SCRIPTS.send), view: textOf(VISITOR_SCRIPTS.view) }
  return new Elysia({ prefix: '/s' })
    .get(
      '/:slug',
      ({ params, query, request }) =>
        orClosed(deps, request, () => showPage(deps, { ...params, ...query, request, scripts, thumbnails })),
      openToAll({ ...FACTS, query: PageQuery }),
    )
    .post(
      '/:slug/files',
      ({ params: { slug }, request }) => orClosed(deps, request, () => receivePage(deps, slug, request)),
      openToAll({ ...FACTS, parse: 'none' as const }), // receiveFiles reads request.body as a stream
    )
    .post(
      '/:slug',
      ({ params: { slug }, body, request }) =>
        orClosed(deps, request, () => openPage(deps, { slug, password: body.password[0] ?? '', request })),
      openToAll({ ...FACTS, ...takesForm(PasswordForm) }),
    )
}

interface PageRequest {
  slug: string
  folder?: string
  after?: string
  file?: string
  request: Request
  /** Texts of the scripts, if they were built. */
  scripts: Record<keyof typeof VISITOR_SCRIPTS, string | undefined>
  thumbnails: Thumbnails
}

async function showPage(
  deps: Context,
  { slug, folder: id, after, file, request, thumbnails, ...page }: PageRequest,
): Promise<Response> {
  const found = await visit(deps, slug, request)
  const { tree, share } = found
  const words = wordsFor(deps, request)
  if (!found.isOpen) return sendPage(200, passwordPage(words, share))
  await recordOpened(deps, found)
  if (file !== undefined) {
    const wanted = { id: file, folderId: id, isPicture: thumbnails.mayHave }
    const shown = await deps.store.read(() => findPicture(tree, share, wanted))
    const { view } = page.scripts
    return sendPage(200, picturePage(words, share, shown, view), { script: view, shows: ['media-src'] })
  }
  const uploads = await uploadsOf(deps, found)
  const shown = await deps.store.read(() =>
    shownOf(deps, found, { words, id, after, thumbnails, uploads, ...page }),
  )
  const only = share.canRead ? onlyFileOf(shown) : undefined
  const whole = only && (await deps.store.read(() => requireFile(tree, share, only.id)))
  const { text, shows } = sharePage(shown, whole && (await beginningOf(tree, share, whole)))
  const response = sendPage(200, text, { script: shown.script, shows })
  // With a cookie of its own, a visitor is not taken for others at its address.
  const cookies = found.isNew && share.canRead ? newVisitor(deps, share).cookies : []
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

interface Wanted extends Pick<PageRequest, 'scripts' | 'thumbnails'> {
  words: PageWords
  /** Id of the folder; undefined for the first page. */
  id: string | undefined
  after: string | undefined
  uploads: ShareVisitRow[]
}

/** Returns what a page of a share shows. @throws {Refusal} `not-found`. */
function* shownOf(deps: Context, found: Visit, { id, after, uploads, ...page }: Wanted): Work<Shown> {
  const { tree, share, sender } = found
  const taken = yield* takenFor(deps, found)
  const only = yield* onlyFolder(tree, share)
  const isTop = id === undefined || id === only
  const isBox = share.canWrite && isTop && after === undefined
  const shown = {
    ...{
      words: page.words,
      share,
      sender,
      taken,
      isLater: after !== undefined,
      isPicture: page.thumbnails.mayHave,
    },
    box: isBox ? boxOf(page.words, share, sender, yield* roomOf(tree, share), uploads) : undefined,
    script: isBox ? page.scripts.send : undefined,
  }
  if (id === undefined && only === undefined) {
    const items = yield* itemsOf(tree, share)
    return { ...shown, content: contentAfter(items, after), sum: yield* sumOf(tree, items) }
  }
  const folder = yield* requireFolder(tree, share, id ?? only ?? '')
  // Names are unique in a folder, so the id behind the name of a place is not needed.
  const [name] = after?.split('/') ?? []
  const content = yield* folderContent(tree, share, { folder: folder.id, after: name, limit: PAGE_ITEMS })
  const { parentId } = folder
  const isShared = parentId !== null && (yield* deps.store.shares.holds(share.id, parentId, parentId))
  const place = { folder, parentId: isShared ? parentId : undefined, isOnly: isTop }
  return { ...shown, content, place, sum: yield* sumOf(tree, { files: [], folders: [folder] }) }
}

/** Returns the time until which others take all downloads of a share; undefined for a visitor that has one under way. */
function* takenFor(deps: Context, { share, visitor }: Visit): Work<number | undefined> {
  const until = yield* takenUntil(deps, share)
  const hasPlace = until !== undefined && (yield* deps.store.shareDownloads.isUnderWay(share.id, visitor))
  return hasPlace ? undefined : until
}

/** Returns the id of the folder that is all of a share; undefined when it has other items or none. */
function* onlyFolder({ store }: TreeContext, share: ShareRow): Work<string | undefined> {
  const [item, ...others] = share.canRead ? yield* store.shares.items(share.id) : []
  if (item?.kind !== 'folder' || others.length > 0) return undefined
  const isInTree = (yield* store.folders.keyOf(item.itemId)) !== undefined
  return isInTree ? item.itemId : undefined
}

interface OpenRequest {
  slug: string
  password: string
  request: Request
}

/** Opens a share with the password of its form, and leads back to its page. */
async function openPage(deps: Context, sent: OpenRequest): Promise<Response> {
  const { slug, request } = sent
  try {
    return backTo(slug, await openShare(deps, sent))
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 404) throw error
    const { share } = await visit(deps, slug, request)
    const words = wordsFor(deps, request)
    if (error.status === 401) return sendPage(401, passwordPage(words, share, words.password.wrong))
    if (error.status !== 429) throw error
    const page = passwordPage(words, share, words.password.limited)
    return withHeaders(sendPage(429, page), error.headers)
  }
}

/** Statuses of forms whose files were not stored, which get a page that says why. */
const NOT_SENT = [400, 401, 403, 413, 415, 503, 507]

/** Receives the files of the form, and leads back to the page, which shows them. */
async function receivePage(deps: Context, slug: string, request: Request): Promise<Response> {
  try {
    return backTo(slug, (await receiveFiles(deps, slug, request)).cookies)
  } catch (error) {
    if (!isRefused(error, ...NOT_SENT)) throw error
    return sendPage(error.status, refusedPage(wordsFor(deps, request), slug, error.reason))
  }
}

/** Responds with the way back to the page of a share, so that a reload sends no form again. */
function backTo(slug: string, cookies: readonly string[]): Response {
  const response = sendPage(303, '')
  response.headers.set('Location', `/s/${slug}`)
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

/** Responds with one and the same page whatever is not found. */
async function orClosed(deps: Context, request: Request, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (isRefused(error, 404)) return sendPage(404, closedPage(wordsFor(deps, request)))
    throw error
  }
}
