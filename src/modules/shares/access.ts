import { createHmac } from 'node:crypto'
import { isGuardedPassword } from '../../access/accounts.ts'
import { scopesOf } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { reachOf, within } from '../../access/reach.ts'
import { cookieValues } from '../../http/cookies.ts'
import { type Device, deviceOf } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { isSecure } from '../../platform/hosts.ts'
import { isSameSecret } from '../../platform/same-secret.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { FileRow, FolderRow, ShareRow, UserRow, Work } from '../../store/rows.ts'
import type { Reach } from '../../store/store.ts'
import { fileNotFound } from '../../views/files.ts'
import { folderNotFound } from '../../views/folders.ts'
import { shareNotFound } from './rules.ts'
import { recordVisit, type Visit } from './visits.ts'

const COOKIE = 'holdfast_share'
/** Lifetime of a cookie that a password opened. */
const OPEN_MS = 12 * 3_600_000
/** Age from which an upload renews the cookie of its visitor. */
const RENEWAL_MS = 3_600_000

/**
 * Finds the open share at a slug for a visitor. It is the only way to a share: one that never was, has ended or
 * expired, is used up, or whose owner may not read any more, is the same refusal.
 *
 * @param item Download whose visitor has a share that is used up open for as long as it retains its place.
 * @throws {Refusal} `not-found`.
 */
export async function visit(deps: Context, slug: string, request: Request, item?: string): Promise<Visit> {
  const { share, sender, reach } = await deps.store.read(function* () {
    const { share, owner } = yield* findShare(deps, slug, { mayBeUsedUp: item !== undefined })
    return { share, sender: owner.name, reach: yield* reachOfOwner(deps, owner) }
  })
  const tree = within(deps, { reach })
  if (!reach.isEverything && !share.canWrite && !(await tree.store.read(() => hasItems(tree, share))))
    throw shareNotFound()
  const device = deviceOf(request)
  const cookie = readCookie(deps, share, request)
  const common = commonId(device)
  const id = cookie?.id ?? common
  const place = { shareId: share.id, visitor: visitorOf(id), item: item ?? '' }
  if (isUsedUp(share) && !(await deps.store.read(() => mayRepeat(deps, place)))) throw shareNotFound()
  const isOpen = share.passwordHash === null || cookie !== undefined
  const isFresh = cookie !== undefined && cookie.expires - deps.clock.now() >= OPEN_MS - RENEWAL_MS
  return {
    tree,
    share,
    sender,
    visitor: place.visitor,
    withoutCookie: visitorOf(common),
    device,
    hasCookie: cookie !== undefined && !isCommon(id),
    isNew: cookie === undefined,
    cookies: isFresh || !isOpen ? [] : cookiesOf(deps, share, id),
    isOpen,
  }
}

interface OpenShare {
  share: ShareRow
  owner: UserRow
}

/** Returns what a share shows at most: the part of the tree that its owner reaches and may share. */
function* reachOfOwner(deps: Context, owner: UserRow): Work<Reach> {
  const reach = yield* reachOf(deps, owner)
  return reach.isEverything ? reach : reach.only('share')
}

/** Returns true while the owner of a share may share an item of it. */
function* hasItems({ store }: TreeContext, { id }: ShareRow): Work<boolean> {
  for (const { itemId, kind } of yield* store.shares.items(id))
    if ((kind === 'file' ? yield* store.files.byId(itemId) : yield* store.folders.byId(itemId)) !== undefined)
      return true
  return false
}

/**
 * Finds the share of a visit again, within a body, with the part of the tree that its owner may share now.
 *
 * @throws {Refusal} `not-found`.
 */
export function* findOpen(tree: TreeContext, slug: string): Work<OpenShare> {
  const found = yield* findShare(tree, slug)
  const reach = yield* reachOfOwner(tree, found.owner)
  if (!tree.store.reach.isEverything) tree.store.reach.renew(reach)
  // The visit sees the whole tree.
  else if (!reach.isEverything) throw shareNotFound()
  return found
}

/** Finds a share and its owner, within a body. @throws {Refusal} `not-found`. */
export function* findShare(
  { store, clock }: Context,
  slug: string,
  { mayBeUsedUp = false } = {},
): Work<OpenShare> {
  const found = yield* store.shares.openAt(slug, clock.now())
  if (!found || !scopesOf(found.owner).includes('files:read')) throw shareNotFound()
  if (isUsedUp(found.share) && !mayBeUsedUp) throw shareNotFound()
  return found
}

const isUsedUp = ({ maxDownloads, downloads }: ShareRow) => maxDownloads !== null && downloads >= maxDownloads

/** Returns true for a visitor whose download was counted within the last day. */
export function* mayRepeat(
  { store, clock }: Context,
  place: { shareId: string; visitor: string; item: string },
): Work<boolean> {
  const known = yield* store.shareDownloads.find(place)
  return known?.isFinished === true && known.sentAt > clock.now() - DAY_MS
}

/**
 * Finds the open share at a slug for a visitor with its password.
 *
 * @throws {Refusal} `not-found`; `unauthorized` without the password.
 */
export async function visitOpened(
  deps: Context,
  slug: string,
  request: Request,
  item?: string,
): Promise<Visit> {
  const found = await visit(deps, slug, request, item)
  if (!found.isOpen) throw new Refusal('share-locked')
  return found
}

const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('base64url')
const visitorOf = (id: string) => hash(`cookie\n${id}`)

/**
 * Returns the id of a visitor without a cookie, longer than a random one. Visitors of one address and user agent have the
 * same, so its cookie continues downloads, and shows no uploads.
 */
const commonId = ({ ipAddress, userAgent }: Device) => `-${hash(`${ipAddress}\n${userAgent}`).slice(0, 22)}`
const isCommon = (id: string) => id.length > 22

/**
 * Returns the file with this id, if the share has it or a folder above it.
 *
 * @throws {Refusal} `not-found`, whether or not there is such a file.
 */
export function* requireFile(
  { store }: TreeContext,
  share: ShareRow,
  id: string,
): Work<FileRow & { key: string }> {
  const file = yield* store.files.byId(id)
  const folder = file && (yield* store.folders.keyOf(file.folderId))
  if (
    !share.canRead ||
    !file ||
    folder === undefined ||
    !(yield* store.shares.holds(share.id, file.id, file.folderId))
  )
    throw fileNotFound()
  return { ...file, key: folder === '' ? file.name : `${folder}/${file.name}` }
}

/** Returns the folder with this id, as `requireFile` does. @throws {Refusal} `not-found`. */
export function* requireFolder(deps: TreeContext, share: ShareRow, id: string): Work<FolderRow> {
  const folder = yield* findFolder(deps, share, id)
  if (!folder) throw folderNotFound()
  return folder
}

/** Returns the folder with this id, if the share has it or a folder above it. */
export function* findFolder(
  { store }: TreeContext,
  share: ShareRow,
  id: string,
): Work<FolderRow | undefined> {
  const folder = yield* store.folders.byId(id)
  const isInTree = folder && (yield* store.folders.keyOf(folder.id)) !== undefined
  const isShared = share.canRead && isInTree && (yield* store.shares.holds(share.id, folder.id, folder.id))
  return isShared ? folder : undefined
}

/**
 * Opens a share with its password. Tries are limited like sign-ins.
 *
 * @returns The cookies for the paths of the share, in the API and of its page.
 * @throws {Refusal} `not-found`, `unauthorized`, `rate-limited`.
 */
export async function openShare(
  deps: Context,
  { slug, password, request }: { slug: string; password: string; request: Request },
): Promise<string[]> {
  const found = await visit(deps, slug, request)
  const { share, device } = found
  if (share.passwordHash !== null) {
    const isRight = await isGuardedPassword(deps, password, {
      ...{ guarded: `share ${share.id}`, passwordHash: share.passwordHash },
      ipAddress: device.ipAddress,
    })
    if (!isRight) {
      await recordVisit(deps, found, { what: 'refused' })
      throw new Refusal('share-password-wrong')
    }
  }
  await recordVisit(deps, { share, visitor: found.withoutCookie, device }, { what: 'opened' })
  return newVisitor(deps, share).cookies
}

/** Makes the cookies that tell a visitor from others, for the paths of a share in the API and of its page. */
export function newVisitor(deps: Context, share: ShareRow): { visitor: string; cookies: string[] } {
  const id = Buffer.from(deps.random.bytes(16)).toString('base64url')
  return { visitor: visitorOf(id), cookies: cookiesOf(deps, share, id) }
}

function cookiesOf(deps: Context, share: ShareRow, id: string): string[] {
  const expires = deps.clock.now() + OPEN_MS
  const value = `${expires}.${id}.${sign(deps, share, id, expires)}`
  const rest = `Max-Age=${OPEN_MS / 1000}; HttpOnly; SameSite=Lax${isSecure(deps.config) ? '; Secure' : ''}`
  return ['/api/s', '/s'].map((prefix) => `${COOKIE}=${value}; Path=${prefix}/${share.slug}; ${rest}`)
}

/** Returns the id and the end of a cookie for this share, its slug and its present password. */
function readCookie(
  deps: Context,
  share: ShareRow,
  { headers }: Request,
): { id: string; expires: number } | undefined {
  for (const value of cookieValues(headers.get('cookie'), COOKIE)) {
    const [, expires = '', id = '', signature = ''] =
      /^(\d{1,15})\.([\w-]{22,23})\.([\w-]{43})$/.exec(value) ?? []
    const isGenuine = isSameSecret(signature, sign(deps, share, id, Number(expires)))
    if (isGenuine && deps.clock.now() < Number(expires)) return { id, expires: Number(expires) }
  }
  return undefined
}

function sign({ secrets }: Context, share: ShareRow, id: string, expires: number): string {
  const text = ['v1', share.id, share.slug, share.passwordHash ?? '', id, expires].join('\n')
  return createHmac('sha256', secrets.share).update(text).digest('base64url')
}
