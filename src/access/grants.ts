import * as T from 'typebox'
import { FOLDER } from '../api/openapi/samples.ts'
import { named, nullable, oneOf } from '../api/schema.ts'
import { count } from '../platform/amounts.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { isAtOrBelow } from '../platform/names.ts'
import type { Entry, GrantRow, Steps, UserRow, Work } from '../store/rows.ts'
import { RIGHTS, type Right, type Store } from '../store/store.ts'
import type { Destination, FolderPlan } from '../store/tree.ts'
import { DestinationFields, readDestination } from '../views/files.ts'
import { scopesOf } from './caller.ts'
import type { TreeContext } from './context.ts'

/** Maximum folders of one account. */
export const MAX_FOLDERS = 100

export const RightsField = T.Array(oneOf(RIGHTS), {
  description: 'Rights in the folder and everything below it; `read` is among them.',
  examples: [['read', 'write']],
})

/** Field of the rights among those in a folder that come from groups. */
export const ByGroups = T.Optional(
  T.Array(oneOf(RIGHTS), {
    description: 'Rights among these that groups at a provider give; missing for none.',
  }),
)

/** Field of the folders that an account is limited to. */
export const FoldersField = T.Array(T.Object({ ...DestinationFields, rights: RightsField }), {
  maxItems: MAX_FOLDERS,
  description: 'Limits the account to these folders: nothing else exists for it.',
})

/** Schema of a folder that an account or an invitation is limited to. */
export const GrantView = named(
  'FolderRights',
  T.Object({
    folderId: T.String(),
    key: nullable(T.String({ description: 'Null while the folder is in the trash.' })),
    name: T.String(),
    rights: T.Array(oneOf(RIGHTS)),
    byGroups: ByGroups,
  }),
  { folderId: FOLDER.id, key: FOLDER.key, name: FOLDER.name, rights: ['read', 'write'] },
)
export type GrantView = T.Static<typeof GrantView>

/** Rights in a folder. */
export type Rights = Pick<GrantRow, 'folderId' | 'rights'>

/** Rights of an account in a folder: all, and those that its groups give. */
interface Held extends Rights {
  byGroups?: Right[]
}

/** Rights in a folder that a request names. */
interface Wanted {
  place: Destination
  rights: readonly Right[]
}

/** Parses rights. @throws {Refusal} `invalid` without `read`. */
export function readRights(sent: readonly Right[]): Right[] {
  if (!sent.includes('read')) throw refuseInvalid('"rights" must include "read"')
  return RIGHTS.filter((right) => sent.includes(right))
}

const refuseRoot = () => refuseInvalid('"folders" cannot contain the root folder: null lets into everything')

/** Parses folders with rights. @throws {Refusal} `invalid` without a folder or rights, or for the root. */
export const readFolders = (sent: T.Static<typeof FoldersField>): Wanted[] =>
  sent.map(({ rights, ...named }) => {
    const place = readDestination(named)
    if ('folder' in place && place.folder.length === 0) throw refuseRoot()
    return { place, rights: readRights(rights) }
  })

/**
 * Runs the steps of a change in one transaction, in which the folders that a request names by key exist.
 *
 * @throws {Refusal} `invalid` for the root, and for a folder that is named twice; `not-found` for an unknown id; what
 *   `authorize` and `work` throw.
 * @param ofUser Account that may keep the folders that it has, also those in the trash.
 */
export function withFolders<Value>(
  deps: TreeContext,
  authorize: () => Steps<void>,
  wanted: readonly Wanted[],
  work: (folders: Rights[]) => Work<Value>,
  ofUser?: string,
): Promise<Value> {
  const keys = wanted.flatMap(({ place }) => ('folder' in place ? [place.folder] : []))
  return deps.store.changes(authorize).makeFolders(keys, function* (plan) {
    const had = ofUser === undefined ? [] : yield* ownGrants(deps.store, ofUser)
    return yield* work(yield* findFolders(deps, { wanted, plan, had }))
  })
}

interface Named {
  wanted: readonly Wanted[]
  plan: FolderPlan
  had: readonly Rights[]
}

function* findFolders({ store }: TreeContext, { wanted, plan, had }: Named): Work<Rights[]> {
  const folders = wanted.map(({ place, rights }) => ({
    folderId: 'folder' in place ? plan.at(place.folder).folderId : place.folderId,
    rights,
  }))
  const ids = folders.map(({ folderId }) => folderId)
  if (ids.includes(yield* store.folders.root())) throw refuseRoot()
  if (new Set(ids).size < ids.length) throw refuseInvalid('"folders" must not contain a folder twice')
  const kept = new Set(had.map(({ folderId }) => folderId))
  for (const id of ids)
    if (!kept.has(id) && (yield* store.folders.keyOf(id)) === undefined) throw new Refusal('folder-not-found')
  return folders
}

/** @throws {Refusal} `limit-reached` for more folders than an account may have. */
export function assertRoomFor(folders: number): void {
  if (folders > MAX_FOLDERS)
    throw new Refusal('limit-reached', `An account has at most ${MAX_FOLDERS} folders`)
}

/** Returns false for an account whose role reaches everything. */
export const isLimitable = (user: Pick<UserRow, 'role' | 'customScopes'>): boolean =>
  !scopesOf(user).includes('settings:manage')

/** @throws {Refusal} `invalid` when what the account manages reaches everything. */
export function assertLimitable(user: Pick<UserRow, 'role' | 'customScopes'>): void {
  if (!isLimitable(user))
    throw refuseInvalid(
      'An admin, or an account with the scope settings:manage, reaches everything: "folders" must be null',
    )
}

/**
 * Gives an account rights in these folders in place of the ones before, null for none. What groups give stays; rights that
 * they give already are not given by hand as well.
 *
 * @throws {Refusal} `invalid` for fewer rights than groups give.
 */
export function* setFolders(
  deps: Pick<TreeContext, 'store' | 'clock' | 'config'>,
  folders: readonly Rights[] | null,
  { userId, createdBy }: Pick<GrantRow, 'userId' | 'createdBy'>,
): Work<void> {
  const { store } = deps
  if (folders === null) return yield* store.grants.removeOfUser(userId)
  for (const held of yield* ownGrants(store, userId)) {
    const isThere = (yield* store.folders.keyOf(held.folderId)) !== undefined
    if (!folders.some(({ folderId }) => folderId === held.folderId) && (isThere || !held.byGroups))
      yield* setRights(deps, { ...held, rights: [] }, { userId, createdBy })
  }
  for (const wanted of folders) yield* setRights(deps, wanted, { userId, createdBy })
}

/**
 * Gives an account rights in a folder by hand, beside what its groups give there; none take away those by hand.
 *
 * @throws {Refusal} `invalid` for fewer rights than groups give.
 */
export function* setRights(
  { store, clock, config }: Pick<TreeContext, 'store' | 'clock' | 'config'>,
  { folderId, rights }: Rights,
  { userId, createdBy }: Pick<GrantRow, 'userId' | 'createdBy'>,
): Work<void> {
  const held = (yield* ownGrants(store, userId)).find((one) => one.folderId === folderId)
  const given = held?.byGroups ?? []
  if (held && includesAll(held.rights, rights) && includesAll(rights, held.rights)) return
  if (!includesAll(rights, given)) {
    const giver = yield* giverOf({ store, config }, userId)
    if (giver !== undefined) throw refuseInvalid(`"rights" come from ${giver}: change the groups there`)
    yield* store.grants.remove(folderId, userId, true)
  } else if (includesAll(given, rights)) return yield* store.grants.remove(folderId, userId)
  if (rights.length === 0) yield* store.grants.remove(folderId, userId)
  else yield* store.grants.set({ folderId, userId, rights, createdBy, createdAt: clock.now() })
}

const includesAll = (rights: readonly Right[], some: readonly Right[]) =>
  some.every((right) => rights.includes(right))

/** Returns what gives an account rights by its groups: the provider, or the proxy; `undefined` when neither does. */
function* giverOf(
  { store, config }: Pick<TreeContext, 'store' | 'config'>,
  userId: string,
): Work<string | undefined> {
  const { oidc, forwardAuth } = config.signIn
  const isLinked = oidc && oidc.folders.length > 0 && (yield* store.identities.ofUser(userId)).length > 0
  if (isLinked) return oidc.name
  return forwardAuth && forwardAuth.folders.length > 0 ? PROXY : undefined
}

/** Name of the proxy that vouches for people. */
export const PROXY = 'the proxy'

/** Message of `setRights`, for the documentation. */
export const GIVEN_ELSEWHERE = '"rights" come from Example: change the groups there'

/** Returns the rights of an account in each of its folders, without those of every account. */
function* ownGrants({ grants }: Pick<Store, 'grants'>, id: string): Work<Held[]> {
  return heldRights(yield* grants.of(id)).filter(({ userId }) => userId === id)
}

/** Joins the grants by hand and by groups of each account in each folder. */
export function heldRights(rows: readonly GrantRow[]): (Held & Pick<GrantRow, 'userId'>)[] {
  const held = new Map<string, Held & Pick<GrantRow, 'userId'>>()
  for (const { folderId, userId, rights, byGroups } of rows) {
    const at = `${folderId} ${userId}`
    const before = held.get(at)
    const all = RIGHTS.filter((right) => rights.includes(right) || before?.rights.includes(right))
    const given = byGroups ? [...rights] : before?.byGroups
    held.set(at, { folderId, userId, rights: all, ...(given && { byGroups: given }) })
  }
  return [...held.values()]
}

interface GrantDeps {
  store: Pick<Store, 'folders' | 'grants' | 'trash'>
}

/** Returns the folders of an account's own grants; of those that hold for every account, without an id. */
export function* grantsOf(deps: GrantDeps, id: string): Work<GrantView[]> {
  return yield* viewRights(deps, yield* ownGrants(deps.store, id))
}

/** Returns the folders that an account is limited to, without those of every account; null for one that is not limited. */
export function* foldersOf(deps: GrantDeps, { id, limited }: UserRow): Work<GrantView[] | null> {
  return limited ? yield* grantsOf(deps, id) : null
}

/** Returns folders with rights as the API shows them, by key; those in the trash are last, those that are gone are left out. */
export function* viewRights(
  { store: { folders, trash } }: { store: Pick<Store, 'folders' | 'trash'> },
  granted: readonly Held[],
): Work<GrantView[]> {
  const views: GrantView[] = []
  for (const { folderId, rights, byGroups } of granted) {
    const key = (yield* folders.keyOf(folderId)) ?? null
    // The row of a folder that is on its way to the trash has no name.
    const row =
      (key === null ? yield* trash.byId(folderId) : undefined) ??
      (yield* folders.byId(folderId)) ??
      (yield* trash.folder(folderId))
    if (row) views.push({ folderId, key, name: row.name, rights: [...rights], ...(byGroups && { byGroups }) })
  }
  return views.sort(byKey)
}

function byKey(...views: [GrantView, GrantView]): number {
  const [one, other] = views.map(({ key, name }) => `${key === null ? 1 : 0}${key ?? name}`)
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** Folders that a caller reaches, with its rights there. */
interface Reached {
  /** Topmost ones; null when it reaches everything. */
  folders: GrantView[] | null
  /** Folders inside these in which it has more rights; missing when it reaches everything. */
  nested?: GrantView[]
}

/** Returns the folders that a caller reaches. */
export function* reachedFolders({ store }: Pick<TreeContext, 'store'>): Work<Reached> {
  if (store.reach.isEverything) return { folders: null }
  const topmost = yield* store.entries()
  const tops: { right: Right; entries: Entry[] }[] = [{ right: 'read', entries: topmost }]
  for (const right of RIGHTS.slice(1)) tops.push({ right, entries: yield* store.entries(right) })
  const view = ({ folderId, key }: Entry): GrantView => {
    const having = tops.filter(({ entries }) => entries.some((top) => isAtOrBelow(key, top.key)))
    const name = key.slice(key.lastIndexOf('/') + 1)
    return { folderId, key, name, rights: having.map(({ right }) => right) }
  }
  const nested = new Map(tops.flatMap(({ entries }) => entries.map((entry) => [entry.key, view(entry)])))
  for (const { key } of topmost) nested.delete(key)
  return { folders: topmost.map(view), nested: [...nested.values()].sort(byKey) }
}

/** Returns the folders of an account in words, such as `clients/acme: read, write; family: read`. */
export const describeFolders = (folders: readonly GrantView[] | null): string => {
  if (folders === null) return 'everything'
  if (folders.length === 0) return 'no folder'
  return folders.map(({ key, name, rights }) => `${key ?? name}: ${rights.join(', ')}`).join('; ')
}

/** Returns the words of other folders, such as `everything to 2 folders`; `undefined` when they are the same. */
export function describeOther(
  ...sides: [before: readonly GrantView[] | null, after: readonly GrantView[] | null]
): string | undefined {
  const [were, are] = sides.map((folders) => JSON.stringify(folders))
  if (were === are) return undefined
  const [before, after] = sides.map((folders) =>
    folders === null ? 'everything' : count(folders.length, 'folder'),
  )
  return before === after ? 'folders changed' : `${before} to ${after}`
}
