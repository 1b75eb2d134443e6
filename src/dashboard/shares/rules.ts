import type { HoldfastFile } from '../../client/index.ts'
import { splitTypes } from '../../client/index.ts'
import { type Kind, kindOf } from '../../platform/kinds.ts'
import type { Share, ShareFields } from '../api/shares.ts'
import { type Amount, fromAmount, toAmount } from '../lib/amount.ts'
import { BYTE_UNITS, withMarks } from '../lib/format.ts'
import { type ChosenLifetime, dayFromNow, expiryOf, lifetimeOf } from '../lib/lifetime.ts'
import { serverPictureOf } from '../pages/files/pictures.ts'
import { shareTexts } from '../texts/shares.ts'

/** Rights of visitors: to read, to send files, or both. */
export type Access = 'read' | 'write' | 'both'

/** Rules of a share as its form has them, with empty texts for no limit. */
export interface Rules extends ChosenLifetime {
  access: Access
  title: string
  note: string
  slug: string
  hasPassword: boolean
  /** New password; empty for the current one. */
  password: string
  maxDownloads: string
  maxFiles: string
  maxBytes: Amount
  types: string
  /** Id of the webhook that gets the events; empty for none. */
  notify: string
}

/** Units of sizes in forms, from KiB to TiB. */
export const SIZE_UNITS = BYTE_UNITS.slice(1, 5).map((label, index) => ({
  label,
  factor: 1024 ** (index + 1),
}))

/**
 * Returns the rules of a new share.
 *
 * @param days Days that it lasts; undefined for no end.
 */
export const newRules = (access: Access, days?: number): Rules => ({
  access,
  title: '',
  note: '',
  slug: '',
  hasPassword: false,
  password: '',
  ...lifetimeOf(days),
  maxDownloads: '',
  maxFiles: '',
  maxBytes: { text: '', factor: 1024 ** 3 },
  types: '',
  notify: '',
})

/** Returns the present rules of a share. */
export const rulesOf = (share: Share): Rules => ({
  access: share.canWrite ? (share.canRead ? 'both' : 'write') : 'read',
  title: share.title ?? '',
  note: share.note ?? '',
  slug: share.slug,
  hasPassword: share.hasPassword,
  password: '',
  lifetime: share.expiresAt === null ? 'never' : 'day',
  lastDay: share.expiresAt === null ? dayFromNow(30) : dayFromNow(0, new Date(share.expiresAt)),
  maxDownloads: share.maxDownloads?.toString() ?? '',
  maxFiles: share.maxFiles?.toString() ?? '',
  maxBytes: share.maxBytes === null ? newRules('read').maxBytes : toAmount(share.maxBytes, SIZE_UNITS),
  types: share.types?.join(', ') ?? '',
  notify: share.notify ?? '',
})

/**
 * Returns the fields of a request.
 *
 * @param before Rules of the share to change. Its expiry, password and webhook stay unless they differ.
 */
export function fieldsOf(rules: Rules, folderId: string | undefined, before?: Rules): ShareFields {
  const canWrite = rules.access !== 'read'
  const { slug, title, note } = rules
  const types = splitTypes(rules.types)
  return {
    title: title.trim() || null,
    note: note.trim() || null,
    ...(slug !== '' && { slug }),
    canRead: rules.access !== 'write',
    canWrite,
    ...(canWrite && folderId !== undefined && { folderId }),
    maxDownloads: countOf(rules.maxDownloads),
    maxFiles: countOf(rules.maxFiles),
    maxBytes: fromAmount(rules.maxBytes) || null,
    types: types.length > 0 ? types : null,
    ...passwordOf(rules),
    ...(rules.notify !== (before?.notify ?? '') && { notify: rules.notify || null }),
    ...(isSameLifetime(rules, before) ? {} : { expiresAt: expiryOf(rules) ?? null }),
  }
}

const countOf = (text: string) => (text.trim() === '' ? null : Number(text))

function passwordOf({ hasPassword, password }: Rules): Pick<ShareFields, 'password'> {
  if (!hasPassword) return { password: null }
  return password === '' ? {} : { password }
}

const isSameLifetime = (rules: Rules, before: Rules | undefined) =>
  before !== undefined && rules.lifetime === before.lifetime && rules.lastDay === before.lastDay

/** Item of a share as the visitors see it. */
export interface Shown {
  id: string
  name: string
  kind: Kind | 'folder'
  /** Size of a file in bytes. */
  size?: number
  /** Address of its thumbnail; undefined without one. */
  picture?: string | undefined
}

/** Width of thumbnails in the preview, in pixels of a dense screen. */
const PICTURE_WIDTH = 200

/** Returns a file as the visitors see it. */
export const shownFile = (file: Pick<HoldfastFile, 'id' | 'name' | 'mimeType' | 'size'>): Shown => ({
  id: file.id,
  name: file.name,
  kind: kindOf(file),
  size: file.size,
  picture: serverPictureOf(file, PICTURE_WIDTH),
})

/** Returns the items of a share that visitors find. */
export const shownItems = ({ items }: Share): Shown[] =>
  items.flatMap(({ fileId, folderId, name, mimeType = '', size = 0 }) => {
    if (name === null) return []
    const id = fileId ?? folderId ?? ''
    return folderId === undefined ? shownFile({ id, name, mimeType, size }) : { id, name, kind: 'folder' }
  })

/** Names of items in the name of a share. */
const MAX_NAMES = 2

/** Returns the title of a share, or the names of its items. */
export function nameOf(share: Share): string {
  const names = shownItems(share).map(({ name }) => withMarks(name))
  if (share.title !== null) return withMarks(share.title)
  if (!share.canRead || names.length === 0)
    return share.folderName === null ? shareTexts.unnamed : shareTexts.boxOf(withMarks(share.folderName))
  const others = share.items.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (others > 0 ? shareTexts.andMore(others) : '')
}
