import { html, type Markup } from '../../../api/html.ts'
import type { PageWords } from '../../../api/pages/texts.ts'
import { isGallery } from '../../../platform/kinds.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, FolderRow } from '../../../store/rows.ts'
import type { Content } from '../content.ts'

/** Widths of thumbnails in pixels. */
const TILE_WIDTH = 400
export const ROW_WIDTH = 200

/** Files and folders of a page, and what their addresses need. */
export interface Listed {
  words: PageWords
  slug: string
  /** Folder whose content it is; undefined for the items of the share. */
  folderId: string | undefined
  content: Content
  /** Returns true for a file that has a thumbnail. */
  isPicture: (file: FileRow) => boolean
}

type Entry = FileRow | FolderRow

const isFile = (entry: Entry): entry is FileRow => 'mimeType' in entry

/** Returns the place of an entry in the order of a page. The name alone may be that of another folder's file. */
const placeOf = ({ name, id }: Entry) => `${name}/${id}`

const byPlace = (a: Entry, b: Entry) => (isBefore(a, b) ? -1 : 1)
/** True when an entry comes before another in the order of a page. */
export const isBefore = (a: Entry, b: Entry) => (a.name === b.name ? a.id < b.id : a.name < b.name)

/** Returns the content after a place, for shares whose items are of several folders. */
export function contentAfter({ files, folders, next }: Content, after: string | undefined): Content {
  const [name = '', id = ''] = after?.split('/') ?? []
  const isAfter = (entry: Entry) => (entry.name === name ? entry.id > id : entry.name > name)
  return after === undefined
    ? { files, folders, next }
    : { files: files.filter(isAfter), folders: folders.filter(isAfter), next }
}

/**
 * Renders the entries that fit into a number of bytes, at least one.
 *
 * @returns The place after which the next page begins; null for the last page.
 */
export function renderItems(listed: Listed, room: number): { list: Markup; next: string | null } {
  const { files, folders, next } = listed.content
  const pictures = files.filter(listed.isPicture).length
  const hasTiles = isGallery({ pictures, items: files.length + folders.length })
  const lists: Lists = { folders: [], files: [], tiles: [] }
  let left = room
  let last: Entry | undefined
  for (const [index, entry] of [...folders, ...files].toSorted(byPlace).entries()) {
    const isTile = hasTiles && isFile(entry) && listed.isPicture(entry)
    const item = isTile ? tileOf(listed, entry, index) : rowOf(listed, entry, index)
    left -= Buffer.byteLength(item.markup)
    if (left < 0 && last) return { list: listOf(listed, lists), next: placeOf(last) }
    lists[isTile ? 'tiles' : isFile(entry) ? 'files' : 'folders'].push(item)
    last = entry
  }
  return { list: listOf(listed, lists), next }
}

type Lists = Record<'folders' | 'files' | 'tiles', Markup[]>

/** Renders folders, tiles, then other files. One hidden text begins the names of all links that download. */
const listOf = ({ words }: Listed, { folders, files, tiles }: Lists) =>
  html`<span id="get" hidden>${words.download}</span>${listIn('rows', tiles.length === 0 ? [...folders, ...files] : folders)}${listIn('tiles', tiles)}${listIn('rows', tiles.length === 0 ? [] : files)}`

const listIn = (name: string, items: Markup[]) =>
  items.length === 0 ? undefined : html`<ul class="${name}">${items}</ul>`

const FOLDER = html`<svg class="icon" viewBox="0 0 48 48" aria-hidden="true"><path d="M10 15h10l4 4h14v16H10z"/></svg>`

function rowOf(listed: Listed, entry: Entry, index: number): Markup {
  const { name, id } = entry
  if (!isFile(entry))
    return html`<li>${FOLDER}<span class="what"><a href="${placeUrl(listed.slug, id)}">${withMarks(name)}/</a><span class="quiet">${listed.words.folder}</span></span></li>`
  const url = fileUrl(listed.slug, id)
  return html`<li>${listed.isPicture(entry) ? pictureOf(listed.slug, entry, ROW_WIDTH) : iconOf(name)}<span class="what"><a id="n${index}" href="${url}">${withMarks(name)}</a><span class="quiet">${listed.words.bytes(entry.size)}</span></span>${downloadOf(url, index)}</li>`
}

function tileOf({ slug, folderId }: Listed, file: FileRow, index: number): Markup {
  const { id, name } = file
  const url = fileUrl(slug, id)
  return html`<li><a href="${pictureUrl(slug, folderId, id)}">${pictureOf(slug, file, TILE_WIDTH)}<span id="n${index}">${withMarks(name)}</span></a>${downloadOf(url, index)}</li>`
}

const PLAY = html`<svg class="play" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="12"/><path d="M9 7v10l8-5z"/></svg>`

/** Renders a thumbnail. Its place is reserved, and it loads when it comes into view. Without one, the type shows. */
const pictureOf = (slug: string, { id, name, mimeType }: FileRow, width: number) =>
  html`<img src="${thumbnailUrl(slug, id, width)}" alt="" data-type="${typeOf(name)}" width="200" height="200" loading="lazy">${mimeType.startsWith('video/') ? PLAY : undefined}`

const downloadOf = (url: string, index: number) =>
  html`<a class="save" href="${url}?download=1" aria-labelledby="get n${index}">↓</a>`

/** Renders the extension of a file in place of a picture. */
const iconOf = (name: string) => html`<span class="icon" aria-hidden="true">${typeOf(name)}</span>`

/** Returns a short extension in capitals; empty without. */
export function typeOf(name: string): string {
  const [, extension = ''] = /.\.([a-z0-9]{1,4})$/i.exec(name) ?? []
  return extension.toUpperCase()
}

/** Returns the address of the bytes of a file. */
export const fileUrl = (slug: string, id: string) => `/api/s/${slug}/files/${id}`

/** Returns the address of a thumbnail, at least this wide. */
export const thumbnailUrl = (slug: string, id: string, width: number) =>
  `/api/s/${slug}/thumbs/${id}?width=${width}`

/** Returns the address of the page of a share, or of a folder in it. */
export const placeUrl = (slug: string, folderId: string | undefined) =>
  `/s/${slug}${folderId === undefined ? '' : `?folder=${encodeURIComponent(folderId)}`}`

/** Returns the address of the page of a picture. */
export const pictureUrl = (slug: string, folderId: string | undefined, id: string) =>
  `${placeUrl(slug, folderId)}${folderId === undefined ? '?' : '&'}file=${encodeURIComponent(id)}`
