import { html, type Markup } from '../../../api/html.ts'
import { pageOf } from '../../../api/page.ts'
import { withMarks } from '../../../platform/marks.ts'
import { formatBytes } from '../../../platform/size.ts'
import type { FileRow, FolderRow, ShareRow } from '../../../store/rows.ts'
import { takenText } from '../downloads.ts'
import { fileUrl, type Listed, placeUrl, renderItems } from './items.ts'

/** Renders the page for a share that is not open, whatever the reason. */
export const closedPage = (): string =>
  pageOf({
    title: 'Link not found',
    body: html`<h1>This link does not exist or has expired</h1>
<p>Check that the link is complete, or ask the sender for a new one.</p>`,
  })

/** Renders the reason why a visitor cannot download now. */
export const busyPage = (slug: string, reason: string): string =>
  pageOf({
    title: 'Try again soon',
    body: html`<h1>No more downloads at once</h1>
<p role="alert">${reason}</p>
<p><a class="button" href="/s/${slug}">Back to the files</a></p>`,
  })

/** Renders the way to the password, for a browser that opened a file of the share by its address. */
export const lockedPage = (slug: string): string =>
  pageOf({
    title: 'Shared files',
    body: html`<h1>These files have a password</h1>
<p><a class="button" href="/s/${slug}">Enter the password</a></p>`,
  })

/** Renders the form for the password. It says nothing about the share but its title. */
export const passwordPage = (share: ShareRow, problem?: string): string =>
  pageOf({
    title: headingOf(share),
    body: html`<h1>${headingOf(share)}</h1>
<p>The sender protected this share with a password.</p>
<form method="post" action="/s/${share.slug}">
<label>Password <input type="password" name="password" required autofocus autocomplete="off"></label>
<button class="main">Open</button>
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

interface Shown extends Pick<Listed, 'content' | 'isPicture'> {
  share: ShareRow
  /** Folder that is shown; undefined for the items of the share. */
  place?: Place | undefined
  /** True for a page that continues another. */
  isLater: boolean
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

/** Renders the items of a share, or the content of a folder in it, as far as they fit. */
export function sharePage(shown: Shown): string {
  const { share, content, place } = shown
  if (content.files.length + content.folders.length === 0)
    return frameOf(shown, share.canRead ? html`<p class="quiet">There are no files here now.</p>` : undefined)
  const only = onlyFileOf(shown)
  const all = only
    ? html`<p><a class="button main" href="${fileUrl(share.slug, only.id)}?download=1">Download (${formatBytes(only.size)})</a></p>`
    : html`<p><a class="button main" href="${archiveUrl(share.slug, place?.folder.id)}">Download all as ZIP</a></p>`
  const room = MAX_PAGE_BYTES - NEXT_BYTES - Buffer.byteLength(frameOf(shown, all))
  const { list, next } = renderItems({ ...shown, slug: share.slug, folderId: place?.folder.id }, room)
  return frameOf(
    shown,
    html`${all}${list}${next === null ? undefined : html`<p><a class="button" href="${nextUrl(share.slug, place?.folder.id, next)}">More files</a></p>`}`,
  )
}

/** Returns the file of a page that has nothing else. */
function onlyFileOf({ content: { files, folders, next }, isLater }: Shown): FileRow | undefined {
  return files.length === 1 && folders.length === 0 && next === null && !isLater ? files[0] : undefined
}

/** Renders a page of a share around its items. */
function frameOf(shown: Shown, items: Markup | undefined): string {
  const { share, place, isLater, box, script, taken } = shown
  const only = share.canRead && !place ? onlyFileOf(shown)?.name : undefined
  const [title, name] = [share.title ?? undefined, place?.folder.name ?? only]
  const heading = withMarks((place && !place.isOnly ? (name ?? title) : (title ?? name)) ?? headingOf(share))
  const isFirst = !isLater && (!place || place.isOnly)
  return pageOf({
    title: heading,
    ...(share.passwordHash === null && { head: previewOf(share) }),
    body: html`${place && !isFirst ? html`<p><a href="${placeUrl(share.slug, place.parentId)}">Back</a></p>` : undefined}
<h1>${heading}</h1>
${isFirst && share.note !== null ? html`<p class="note">${share.note}</p>` : undefined}
${taken === undefined ? undefined : html`<p class="note" role="status">${takenText(taken)}</p>`}${box}
${items}
${script === undefined ? undefined : html`<script>${{ markup: script }}</script>`}`,
  })
}

/** Renders the reason why files were not stored. */
export const refusedPage = (slug: string, reason: string): string =>
  pageOf({
    title: 'Files not sent',
    body: html`<h1>The files were not sent</h1>
<p class="bad" role="alert">${withMarks(reason)}</p>
<p><a class="button" href="/s/${slug}">Try again</a></p>`,
  })

const headingOf = ({ title, canRead }: ShareRow): string => title ?? (canRead ? 'Shared files' : 'Send files')

/** Renders what the previews of chats show: title and note, and no file. */
function previewOf(share: ShareRow): Markup {
  const toSend = share.canRead ? 'View and download shared files, and send yours' : 'A form to send files'
  const description =
    share.note?.slice(0, 200) ?? (share.canWrite ? toSend : 'View and download shared files')
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${headingOf(share)}">
<meta property="og:description" content="${description}">`
}

const nextUrl = (slug: string, folderId: string | undefined, after: string) =>
  `${placeUrl(slug, folderId)}${folderId === undefined ? '?' : '&'}after=${encodeURIComponent(after)}`

const archiveUrl = (slug: string, folderId: string | undefined) =>
  `/api/s/${slug}/archive${folderId === undefined ? '' : `?ids=${encodeURIComponent(folderId)}`}`
