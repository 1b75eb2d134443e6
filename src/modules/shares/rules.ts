import type { TreeContext } from '../../access/context.ts'
import { assertAcceptable } from '../../access/passwords.ts'
import { parseExpiry } from '../../api/expiry.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { randomText } from '../../platform/random.ts'
import { DAY_MS, iso } from '../../platform/time.ts'
import { readTypes } from '../../reception/types.ts'
import type { ShareColumns, ShareRow, Work } from '../../store/rows.ts'
import { fileNotFound } from '../../views/files.ts'
import { folderNotFound } from '../../views/folders.ts'
import { type ItemRequest, MAX_ITEMS, type ShareRules } from './model.ts'

/** Item of a share as a request names it. */
export interface Item {
  itemId: string
  kind: 'file' | 'folder'
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Length of a random slug: 71 bits. */
const SLUG_LENGTH = 12

export const randomSlug = ({ random }: Pick<TreeContext, 'random'>): string =>
  randomText(random, ALPHABET, SLUG_LENGTH)

/**
 * Returns the columns that a request sets.
 *
 * @throws {Refusal} `invalid`.
 */
export async function readRules(
  { clock, passwords, config }: Pick<TreeContext, 'clock' | 'passwords' | 'config'>,
  { items: _, password, expiresAt, title, note, types, ...rules }: ShareRules,
): Promise<ShareColumns> {
  if (password != null) await assertAcceptable(password, 'password')
  return {
    ...rules,
    title: readText('title', title),
    note: readText('note', note),
    types: types && readTypes(types),
    expiresAt: expiresAt === undefined ? undefined : readExpiry(expiresAt, clock.now(), config),
    passwordHash: password ? await passwords.hash(password) : password,
  }
}

/** Time past the longest life that a share may have: a day ends later in other zones, and clocks differ. */
const SLACK_MS = DAY_MS

/** @throws {Refusal} `invalid` for a time that is past, or after the longest life of a share. */
function readExpiry(
  sent: string | null,
  now: number,
  { maxShareDays }: TreeContext['config'],
): number | null {
  const expiresAt = parseExpiry(sent, now)
  const latest = now + maxShareDays * DAY_MS
  if (maxShareDays > 0 && (expiresAt ?? Number.POSITIVE_INFINITY) > latest + SLACK_MS)
    throw refuseInvalid(
      `Shares last ${maxShareDays} days at most here: choose an "expiresAt" up to ${iso(latest)}, or leave it out`,
    )
  return expiresAt
}

/** Matches control characters but line breaks and tabs. */
const UNREADABLE = /(?![\n\r\t])\p{Cc}/u

function readText(name: string, sent: string | null | undefined): string | null | undefined {
  if (sent == null) return sent
  if (UNREADABLE.test(sent) || !sent.isWellFormed())
    throw refuseInvalid(`"${name}" must not contain control characters`)
  return sent.trim() === '' ? null : sent.trim()
}

/** Returns the distinct items that a request names. @throws {Refusal} `invalid` for too many. */
export function readItems(sent: readonly ItemRequest[]): Item[] {
  const items = new Map<string, Item>()
  for (const item of sent) {
    const [itemId, kind] =
      'fileId' in item ? ([item.fileId, 'file'] as const) : ([item.folderId, 'folder'] as const)
    items.set(itemId, { itemId, kind })
  }
  if (items.size > MAX_ITEMS) throw refuseInvalid(`"items" must have at most ${MAX_ITEMS} files and folders`)
  return [...items.values()]
}

/** @throws {Refusal} `invalid` when the rules of a share do not go together. */
export function assertSensible(share: ShareRow, items: readonly unknown[]): void {
  if (!share.canRead && !share.canWrite) throw refuseInvalid('"canRead" or "canWrite" must be true')
  if (share.canWrite && share.folderId === null)
    throw refuseInvalid('"folderId" is required with "canWrite": it names the folder for received files')
  if (share.canRead && items.length === 0)
    throw refuseInvalid('"items" must name at least one file or folder')
}

/**
 * Asserts that files and folders are in the tree, and that no item is the root.
 *
 * @throws {Refusal} `not-found`, `invalid`.
 */
export function* assertShareable(deps: Pick<TreeContext, 'store'>, items: readonly Item[]): Work<void> {
  for (const { itemId, kind } of items)
    if (kind === 'folder' && (yield* deps.store.folders.keyOf(itemId)) === '')
      throw refuseInvalid('The root folder cannot be shared: choose files or folders')
  yield* assertPresent(deps, items)
}

/** @throws {Refusal} `not-found` for files and folders that are not in the tree. */
export function* assertPresent({ store }: Pick<TreeContext, 'store'>, items: readonly Item[]): Work<void> {
  for (const { itemId, kind } of items) {
    const folderId = kind === 'folder' ? itemId : (yield* store.files.byId(itemId))?.folderId
    const key = folderId === undefined ? undefined : yield* store.folders.keyOf(folderId)
    if (key === undefined) throw kind === 'file' ? fileNotFound() : folderNotFound()
  }
}

/** @throws {Refusal} `conflict` when another share has the slug. */
export function* assertSlugFree(
  { store }: Pick<TreeContext, 'store'>,
  { id, slug }: Pick<ShareRow, 'id' | 'slug'>,
): Work<void> {
  const owner = yield* store.shares.idAt(slug)
  if (owner !== undefined && owner !== id)
    throw new Refusal('name-taken', 'Another share has this "slug" already')
}

/** @throws {Refusal} `not-found` when shares may not name the webhook. */
export function* assertNotifiable(
  { store }: Pick<TreeContext, 'store'>,
  id: string | null | undefined,
): Work<void> {
  if (id == null) return
  const webhook = yield* store.webhooks.byId(id)
  if (!webhook?.forShares) throw new Refusal('webhook-not-found')
}

export const shareNotFound = () => new Refusal('share-not-found')
