import { html, type Markup } from '../../../api/html.ts'
import { pageOf } from '../../../api/page.ts'
import type { Sum } from '../../../api/pages/en.ts'
import type { PageWords } from '../../../api/pages/texts.ts'
import type { ErrorCode } from '../../../platform/error-codes.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, FolderRow, ShareRow } from '../../../store/rows.ts'
import { fileUrl, type Listed, placeUrl, renderItems } from './items.ts'
import { type View, viewOf } from './show.ts'

/** Renders the page for a share that is not open, whatever the reason. */
export const closedPage = (words: PageWords): string =>
  pageOf({
    words,
    title: words.closed.title,
    body: html`<h1>${words.closed.heading}</h1>
<p>${words.closed.advice}</p>`,
  })

/** Renders the reason why a visitor cannot download now, and when it can again. */
export const busyPage = (words: PageWords, slug: string, until: number): string =>
  pageOf({
    words,
    title: words.busy.title,
    body: html`<h1>${words.busy.heading}</h1>
<p role="alert">${words.taken(until)}</p>
<p><a class="button" href="/s/${slug}">${words.busy.back}</a></p>`,
  })

/** Renders the way to the password, for a browser that opened a file of the share by its address. */
export const lockedPage = (words: PageWords, slug: string): string =>
  pageOf({
    words,
    title: words.shared,
    body: html`<h1>${words.locked.heading}</h1>
<p><a class="button" href="/s/${slug}">${words.locked.enter}</a></p>`,
  })

/** Renders the form for the password. It says nothing about the share but its title. */
export const passwordPage = (words: PageWords, share: ShareRow, problem?: string): string =>
  pageOf({
    words,
    title: headingOf(words, share),
    body: html`<h1>${headingOf(words, share)}</h1>
<p>${words.password.lead}</p>
<form method="post" action="/s/${share.slug}">
<label>${words.password.label} <input type="password" name="password" required autofocus autocomplete="off"></label>
<button class="main">${words.password.open}</button>
</form>
${problem === undefined ? undefined : html`<p class="bad" role="alert">${problem}</p>`}`,
  })

interface Place {
  folder: FolderRow
  /** Folder above it, if that is shared, too. */
  parentId: string | undefined
  /** True when the share has nothing else: its page is that of the share. */
  isOnly: boolean
}

/** Content of a page, and what is said about it. */
export interface Shown extends Pick<Listed, 'words' | 'content' | 'isPicture'> {
  share: ShareRow
  /** Name of the account that shares. */
  sender: string
  /** Folder that is shown; undefined for the items of the share. */
  place?: Place | undefined
  /** True for a page that continues another. */
  isLater: boolean
  /** Number and size of all files of the share, or of the folder; undefined when there are too many to count. */
  sum?: Sum | undefined
  /** Form of a drop box, on its first page. */
  box?: Markup | undefined
  /** Time until which other visitors take all downloads. */
  taken?: number | undefined
  /** Script that sends files in pieces. Without it, the plain form works. */
  script?: string | undefined
}

/** Maximum bytes of a page. Its items continue on the next one. */
const MAX_PAGE_BYTES = 60 * 1024
/** Bytes for the list around the items, and for the link to the next page: a name of 255 bytes, encoded. */
const NEXT_BYTES = 1280

/**
 * Renders the items of a share, or the content of a folder in it, as far as they fit. One file is shown at once.
 *
 * @param text Beginning of the only file, if it is a text.
 * @returns The page, and the directives of the policy that it needs.
 */
export function sharePage(shown: Shown, text?: string): { text: string; shows: readonly string[] } {
  const { words, share, content, place } = shown
  if (content.files.length + content.folders.length === 0) {
    const items = share.canRead ? html`<p class="quiet">${words.nothing}</p>` : undefined
    return { text: frameOf(shown, { items }), shows: [] }
  }
  const only = onlyFileOf(shown)
  const action = only
    ? html`<a class="button main" href="${fileUrl(share.slug, only.id)}?download=1">${words.downloadOne(only.size)}</a>`
    : html`<a class="button main" href="${archiveUrl(share.slug, place?.folder.id)}">${words.downloadAll}</a>`
  const room = MAX_PAGE_BYTES - NEXT_BYTES - Buffer.byteLength(frameOf(shown, { action }))
  if (only) {
    const view: View = viewOf({ words, share, file: only, hasThumbnail: shown.isPicture(only), text }, room)
    return { text: frameOf(shown, { action, items: view.markup }), shows: view.shows }
  }
  const { list, next } = renderItems({ ...shown, slug: share.slug, folderId: place?.folder.id }, room)
  const items = html`${list}${next === null ? undefined : html`<p><a class="button" href="${nextUrl(share.slug, place?.folder.id, next)}">${words.more}</a></p>`}`
  return { text: frameOf(shown, { action, items }), shows: [] }
}

/** Returns the file of a page that has nothing else. */
export function onlyFileOf({ content: { files, folders, next }, isLater }: Shown): FileRow | undefined {
  return files.length === 1 && folders.length === 0 && next === null && !isLater ? files[0] : undefined
}

interface Framed {
  /** Button beside the heading. */
  action?: Markup
  items?: Markup | undefined
}

/** Renders a page of a share around its items. */
function frameOf(shown: Shown, { action, items }: Framed): string {
  const { words, share, place, isLater, box, script, taken } = shown
  const isFirst = !isLater && (!place || place.isOnly)
  const heading = titleOf(shown)
  const facts = factsOf(shown, isFirst, heading)
  return pageOf({
    words,
    title: heading,
    ...(share.passwordHash === null && { head: previewOf(words, share) }),
    body: html`<header class="head"><div>${place && !isFirst ? backTo(words, placeUrl(share.slug, place.parentId)) : undefined}
<h1>${heading}</h1>
${facts === undefined ? undefined : html`<p class="quiet">${facts}</p>`}</div>${action}</header>
${isFirst && share.note !== null ? html`<p class="note">${share.note}</p>` : undefined}
${taken === undefined ? undefined : html`<p class="note" role="status">${words.taken(taken)}</p>`}${box}
${items}`,
    end: script === undefined ? undefined : html`<script>${{ markup: script }}</script>`,
  })
}

export const backTo = (words: PageWords, url: string): Markup =>
  html`<a class="back" rel="up" href="${url}"><span aria-hidden="true">← </span>${words.back}</a>`

/** Returns the heading: the title of the share, or the name of the folder or only file. */
function titleOf(shown: Shown): string {
  const { words, share, sender, place } = shown
  const only = share.canRead && !place ? onlyFileOf(shown)?.name : undefined
  const [title, name] = [share.title ?? undefined, place?.folder.name ?? only]
  const found = place && !place.isOnly ? (name ?? title) : (title ?? name)
  return withMarks(found ?? (share.canRead ? words.shared : words.sendTo(sender)))
}

/** Returns the line below the heading: the sender, and number and size of the files. */
function factsOf(shown: Shown, isFirst: boolean, heading: string): string | undefined {
  const { words, share, sum, content, isLater } = shown
  const sender = withMarks(shown.sender)
  if (isLater) return undefined
  const to = words.sendTo(sender)
  if (!share.canRead) return to === heading ? undefined : to
  const only = onlyFileOf(shown)
  const name = only && withMarks(only.name)
  if (name !== undefined && isFirst)
    return name === heading ? words.sharedBy(sender) : words.sharedFile(sender, name)
  if (!isFirst) return sum && words.summary(sum)
  const isEmpty = content.files.length + content.folders.length === 0
  return sum && !isEmpty ? words.sharedFiles(sender, words.summary(sum)) : words.sharedBy(sender)
}

const isSpoken = (reason: string, { refusals }: PageWords): reason is keyof PageWords['refusals'] =>
  Object.hasOwn(refusals, reason)

/** Renders the reason why files were not stored. */
export const refusedPage = (words: PageWords, slug: string, reason: ErrorCode): string =>
  pageOf({
    words,
    title: words.refused.title,
    body: html`<h1>${words.refused.heading}</h1>
<p class="bad" role="alert">${words.refusals[isSpoken(reason, words) ? reason : 'other']}</p>
<p><a class="button" href="/s/${slug}">${words.refused.again}</a></p>`,
  })

/** Returns the title, or words that say nothing of the content and its sender. */
const headingOf = (words: PageWords, { title, canRead }: ShareRow): string =>
  title ?? (canRead ? words.shared : words.sendFiles)

/** Renders what the previews of chats show: title and note, and no file. */
function previewOf(words: PageWords, share: ShareRow): Markup {
  const kind = share.canWrite ? (share.canRead ? 'both' : 'write') : 'read'
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${headingOf(words, share)}">
<meta property="og:description" content="${share.note?.slice(0, 200) ?? words.chats[kind]}">`
}

const nextUrl = (slug: string, folderId: string | undefined, after: string) =>
  `${placeUrl(slug, folderId)}${folderId === undefined ? '?' : '&'}after=${encodeURIComponent(after)}`

const archiveUrl = (slug: string, folderId: string | undefined) =>
  `/api/s/${slug}/archive${folderId === undefined ? '' : `?ids=${encodeURIComponent(folderId)}`}`
