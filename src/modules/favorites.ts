import { Elysia } from 'elysia'
import * as T from 'typebox'
import { forEachId, type Items, selected } from '../access/batch.ts'
import { assertStillAllowed, type Caller } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import { auth, READ } from '../access/plugin.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { FILE, OTHER_ID } from '../api/openapi/samples.ts'
import { envelope, jsonBody, success } from '../api/schema.ts'
import { Refusal } from '../platform/errors.ts'
import type { FavoriteRow, Steps, Work } from '../store/rows.ts'
import { FileView, requireFile, viewRows } from '../views/files.ts'
import { FolderView, folderView, requireFolder, seenParent } from '../views/folders.ts'

/** Maximum favorites of an account, those in the trash included. */
const MAX_FAVORITES = 500

const Ids = T.Array(T.String({ examples: [OTHER_ID] }))
const Favorite = T.Union([
  T.Object({ kind: T.Literal('file'), file: FileView }),
  T.Object({ kind: T.Literal('folder'), folder: FolderView }),
])
type Favorite = T.Static<typeof Favorite>
export const FavoritesAnswer = envelope(T.Object({ items: T.Array(Favorite) }))
const Selection = jsonBody(T.Object({ fileIds: T.Optional(Ids), folderIds: T.Optional(Ids) }))
const Failed = T.Array(T.Object({ id: T.String({ examples: [OTHER_ID] }), message: T.String() }))

const ALONE = 'Ids succeed or fail separately; the response is 404 only if none exists.'
const CHANGE = {
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID] },
  takes: Selection,
  refusals: { 400: ['"fileIds" or "folderIds" is required'], 404: ['File not found'] },
}

const LIST_FAVORITES = route('Files', READ, {
  id: 'listFavorites',
  summary: 'List the favorites of the account',
  description:
    'The files and folders that the account has marked, the latest first. A mark follows its file or folder when that is ' +
    'renamed or moved, is hidden while that is in the trash, and ends with it.',
  answer: FavoritesAnswer,
  facts: { isCompressed: true },
  returns: 'The favorites that the caller reaches.',
})

const ADD_FAVORITES = route('Files', READ, {
  id: 'addFavorites',
  summary: 'Mark files and folders as favorites',
  description: `For the caller's account only: no other account learns of it. An account has at most ${MAX_FAVORITES} favorites, with those in the trash. ${ALONE}`,
  ...CHANGE,
  answer: envelope(T.Object({ added: Ids, failed: Failed })),
  returns: 'The ids that are favorites now, and the others with reasons.',
})

const REMOVE_FAVORITES = route('Files', READ, {
  id: 'removeFavorites',
  summary: 'Remove files and folders from the favorites',
  description: `The files and folders stay. ${ALONE}`,
  ...CHANGE,
  answer: envelope(T.Object({ removed: Ids, failed: Failed })),
  returns: 'The ids that are no favorites now, and the others with reasons.',
})

/** Builds `/api/favorites`: the files and folders that an account has marked. */
const favoriteRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/favorites' })
    .use(auth(deps))
    .get('/', async ({ caller }) => success({ items: await listFavorites(within(deps, caller), caller) }), {
      ...LIST_FAVORITES,
    })
    .put(
      '/',
      async ({ caller, body }) => {
        const { done, failed } = await changeEach(within(deps, caller), caller, { items: body, change: add })
        return success({ added: done, failed })
      },
      { ...ADD_FAVORITES },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        const change = { items: body, change: remove }
        const { done, failed } = await changeEach(within(deps, caller), caller, change)
        return success({ removed: done, failed })
      },
      { ...REMOVE_FAVORITES },
    )

/** Creates the module of the files and folders that accounts have marked. */
export const createFavorites = (context: Context) => ({
  routes: favoriteRoutes(context),
  jobs: [
    {
      pattern: '27 5 * * *',
      task: 'Removing favorites of what is gone',
      run: () => context.store.removeInSlices((limit) => context.store.favorites.removeOrphans(limit)),
    },
  ],
})

const listFavorites = ({ store }: Pick<TreeContext, 'store'>, { user }: Caller): Promise<Favorite[]> =>
  store.read(function* () {
    const marked = yield* store.favorites.of(user.id)
    const idsOf = (kind: FavoriteRow['kind']) =>
      marked.filter((row) => row.kind === kind).map(({ itemId }) => itemId)
    const found = new Map<string, Favorite>()
    for (const file of yield* viewRows(store, yield* store.files.byIds(idsOf('file'))))
      found.set(file.id, { kind: 'file', file })
    const keys = yield* store.folders.keysOf(idsOf('folder'))
    const tops = (yield* store.entries()).map(({ folderId }) => folderId)
    const root = yield* store.folders.root()
    for (const row of yield* store.folders.byIds([...keys.keys()])) {
      const parentId = seenParent(row, tops, root)
      found.set(row.id, { kind: 'folder', folder: folderView({ ...row, parentId }, keys.get(row.id) ?? '') })
    }
    return marked.flatMap(({ itemId }) => found.get(itemId) ?? [])
  })

interface Change {
  items: Items
  change: (store: TreeContext['store'], row: FavoriteRow) => Steps<void>
}

/**
 * Changes the mark of each file and folder separately.
 *
 * @throws {Refusal} `invalid` for none or too many ids, `not-found` when none of them exist.
 */
function changeEach(deps: TreeContext, caller: Caller, { items, change }: Change) {
  const { ids, folders } = selected(items, MAX_FAVORITES)
  const authorize = () => assertStillAllowed(deps, caller, 'files:read')
  const work = (itemId: string) =>
    deps.store.transact(function* () {
      yield* authorize()
      const kind = folders.has(itemId) ? 'folder' : 'file'
      if (kind === 'file') yield* requireFile(deps, { id: itemId })
      else if ((yield* requireFolder(deps, { id: itemId })).parentId === null)
        throw new Refusal('root-folder')
      yield* change(deps.store, { itemId, userId: caller.user.id, kind, createdAt: deps.clock.now() })
      return itemId
    })
  return forEachId(deps, ids, { authorize, work })
}

/** Adds a mark. @throws {Refusal} `limit-reached`. */
function* add({ favorites }: TreeContext['store'], row: FavoriteRow): Work<void> {
  if (yield* favorites.has(row)) return
  if ((yield* favorites.countOf(row.userId)) >= MAX_FAVORITES)
    throw new Refusal('limit-reached', `An account has at most ${MAX_FAVORITES} favorites: remove some first`)
  yield* favorites.insert(row)
}

const remove = ({ favorites }: TreeContext['store'], row: FavoriteRow) => favorites.remove(row)
