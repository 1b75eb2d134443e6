import { html, type Markup } from '../../../api/html.ts'
import { pageOf } from '../../../api/page.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, FolderRow, ShareRow } from '../../../store/rows.ts'
import { takenText } from '../downloads.ts'
import { fileUrl, type Listed, placeUrl, renderItems } from './items.ts'
import { type View, viewOf } from './show.ts'
import { pageTexts, type Sum } from './texts.ts'

const { closed, busy, locked, password, refused, chats } = pageTexts

/** Renders the page for a share that is not open, whatever the reason. */
export const closedPage = (): string =>
  pageOf({
    title: closed.title,
    body: html`<h1>${closed.heading}</h1>
<p>${closed.advice}</p>`,
  })

/** Renders the reason why a visitor cannot download now. */
export const busyPage = (slug: string, reason: string): string =>
  pageOf({
    title: busy.title,
    body: html`<h1>${busy.heading}</h1>
<p role="alert">${reason}</p>
<p><a class="button" href="/s/${slug}">${busy.back}</a></p>`,
  })

/** Renders the way to the password, for a browser that opened a file of the share by its address. */
export const lockedPage = (slug: string): string =>
  pageOf({
    title: pageTexts.shared,
    body: html`<h1>${locked.heading}</h1>
<p><a class="button" href="/s/${slug}">${locked.enter}</a></p>`,
  })

/** Renders the form for the password. It says nothing about the share but its title. */
export const passwordPage = (share: ShareRow, problem?: string): string =>
  pageOf({
    title: headingOf(share),
    body: html`<h1>${headingOf(share)}</h1>
<p>${password.lead}</p>
<form method="post" action="/s/${share.slug}">
<label>${password.label} <input type="password" name="password" required autofocus autocomplete="off"></label>
<button class="main">${password.open}</button>
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
export interface Shown extends Pick<Listed, 'content' | 'isPicture'> {
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
  const { share, content, place } = shown
  if (content.files.length + content.folders.length === 0) {
    const items = share.canRead ? html`<p class="quiet">${pageTexts.nothing}</p>` : undefined
    return { text: frameOf(shown, { items }), shows: [] }
  }
  const only = onlyFileOf(shown)
  const action = only
    ? html`<a class="button main" href="${fileUrl(share.slug, only.id)}?download=1">${pageTexts.downloadOne(only.size)}</a>`
    : html`<a class="button main" href="${archiveUrl(share.slug, place?.folder.id)}">${pageTexts.downloadAll}</a>`
  const room = MAX_PAGE_BYTES - NEXT_BYTES - Buffer.byteLength(frameOf(shown, { action }))
  if (only) {
    const view: View = viewOf({ share, file: only, hasThumbnail: shown.isPicture(only), text }, room)
    return { text: frameOf(shown, { action, items: view.markup }), shows: view.shows }
  }
  const { list, next } = renderItems({ ...shown, slug: share.slug, folderId: place?.folder.id }, room)
  const items = html`${list}${next === null ? undefined : html`<p><a class="button" href="${nextUrl(share.slug, place?.folder.id, next)}">${pageTexts.more}</a></p>`}`
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
  const { share, place, isLater, box, script, taken } = shown
  const isFirst = !isLater && (!place || place.isOnly)
  const heading = titleOf(shown)
  const facts = factsOf(shown, isFirst, heading)
  return pageOf({
    title: heading,
    ...(share.passwordHash === null && { head: previewOf(share) }),
    body: html`<header class="head"><div>${place && !isFirst ? backTo(placeUrl(share.slug, place.parentId)) : undefined}
<h1>${heading}</h1>
${facts === undefined ? undefined : html`<p class="quiet">${facts}</p>`}</div>${action}</header>
${isFirst && share.note !== null ? html`<p class="note">${share.note}</p>` : undefined}
${taken === undefined ? undefined : html`<p class="note" role="status">${takenText(taken)}</p>`}${box}
${items}`,
    end: script === undefined ? undefined : html`<script>${{ markup: script }}</script>`,
  })
}

export const backTo = (url: string): Markup =>
  html`<a class="back" rel="up" href="${url}"><span aria-hidden="true">← </span>${pageTexts.back}</a>`

/** Returns the heading: the title of the share, or the name of the folder or only file. */
function titleOf(shown: Shown): string {
  const { share, sender, place } = shown
  const only = share.canRead && !place ? onlyFileOf(shown)?.name : undefined
  const [title, name] = [share.title ?? undefined, place?.folder.name ?? only]
  const found = place && !place.isOnly ? (name ?? title) : (title ?? name)
  return withMarks(found ?? (share.canRead ? pageTexts.shared : pageTexts.sendTo(sender)))
}

/** Returns the line below the heading: the sender, and number and size of the files. */
function factsOf(shown: Shown, isFirst: boolean, heading: string): string | undefined {
  const { share, sum, content, isLater } = shown
  const sender = withMarks(shown.sender)
  if (!share.canRead || isLater) return undefined
  const only = onlyFileOf(shown)
  const name = only && withMarks(only.name)
  if (name !== undefined && isFirst)
    return name === heading ? pageTexts.sharedBy(sender) : pageTexts.sharedFile(sender, name)
  if (!isFirst) return sum && pageTexts.summary(sum)
  const isEmpty = content.files.length + content.folders.length === 0
  return sum && !isEmpty ? pageTexts.sharedFiles(sender, pageTexts.summary(sum)) : pageTexts.sharedBy(sender)
}

/** Renders the reason why files were not stored. */
export const refusedPage = (slug: string, reason: string): string =>
  pageOf({
    title: refused.title,
    body: html`<h1>${refused.heading}</h1>
<p class="bad" role="alert">${withMarks(reason)}</p>
<p><a class="button" href="/s/${slug}">${refused.again}</a></p>`,
  })

/** Returns the title, or words that say nothing of the content and its sender. */
const headingOf = ({ title, canRead }: ShareRow): string =>
  title ?? (canRead ? pageTexts.shared : pageTexts.sendFiles)

/** Renders what the previews of chats show: title and note, and no file. */
function previewOf(share: ShareRow): Markup {
  const kind = share.canWrite ? (share.canRead ? 'both' : 'write') : 'read'
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${headingOf(share)}">
<meta property="og:description" content="${share.note?.slice(0, 200) ?? chats[kind]}">`
}

const nextUrl = (slug: string, folderId: string | undefined, after: string) =>
  `${placeUrl(slug, folderId)}${folderId === undefined ? '?' : '&'}after=${encodeURIComponent(after)}`

const archiveUrl = (slug: string, folderId: string | undefined) =>
  `/api/s/${slug}/archive${folderId === undefined ? '' : `?ids=${encodeURIComponent(folderId)}`}`
