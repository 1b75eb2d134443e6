import { withMarks } from '../../../platform/marks.ts'
import type { FolderRow, ShareRow, ShareVisitRow } from '../../../store/rows.ts'
import { html, type Markup } from '../../docs/html.ts'
import { pageOf } from '../../web/page.ts'
import { type Listed, placeUrl, renderItems, sizeText } from './items.ts'

/** Renders the page for a share that is not open, whatever the reason. */
export const closedPage = (): string =>
  pageOf({
    title: 'Not found',
    body: html`<h1>There is nothing here</h1>
<p>The link may be incomplete, or the share has ended. Ask the sender for a new link.</p>`,
  })

/** Renders the way to the password, for a browser that opened a file of the share by its address. */
export const lockedPage = (slug: string): string =>
  pageOf({
    title: 'Shared files',
    body: html`<h1>This share has a password</h1>
<p><a class="button" href="/s/${slug}">Enter the password</a></p>`,
  })

/** Renders the form for the password. It says nothing about the share but its title. */
export const passwordPage = ({ title, slug }: ShareRow, problem?: string): string =>
  pageOf({
    title: title ?? 'Shared files',
    body: html`<h1>${title ?? 'Shared files'}</h1>
<p>The sender protected this share with a password.</p>
<form method="post" action="/s/${slug}">
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
  /** Files that this visitor has sent. */
  uploads?: readonly ShareVisitRow[]
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
  const all = html`<p><a class="button main" href="${archiveUrl(share.slug, place?.folder.id)}">Download all as ZIP</a></p>`
  const room = MAX_PAGE_BYTES - NEXT_BYTES - Buffer.byteLength(frameOf(shown, all))
  const { list, next } = renderItems({ ...shown, slug: share.slug, folderId: place?.folder.id }, room)
  return frameOf(
    shown,
    html`${all}${list}${next === null ? undefined : html`<p><a class="button" href="${nextUrl(share.slug, place?.folder.id, next)}">More files</a></p>`}`,
  )
}

/** Renders a page of a share around its items. */
function frameOf({ share, place, isLater, uploads = [], script }: Shown, items: Markup | undefined): string {
  const [title, name] = [share.title ?? undefined, place?.folder.name]
  const heading = withMarks((place?.isOnly ? (title ?? name) : (name ?? title)) ?? 'Shared files')
  const isFirst = !isLater && (!place || place.isOnly)
  return pageOf({
    title: heading,
    ...(share.passwordHash === null && { head: previewOf(share) }),
    body: html`${place && !isFirst ? html`<p><a href="${placeUrl(share.slug, place.parentId)}">Back</a></p>` : undefined}
<h1>${heading}</h1>
${isFirst && share.note !== null ? html`<p class="note">${share.note}</p>` : undefined}
${isFirst && share.canWrite ? uploadForm(share, uploads) : undefined}
${items}
${script === undefined ? undefined : html`<script>${{ markup: script }}</script>`}`,
  })
}

/** Renders the form that sends files, and the list of those that have arrived. */
function uploadForm(
  { slug, types, maxFiles, receivedFiles }: ShareRow,
  uploads: readonly ShareVisitRow[],
): Markup {
  const left = maxFiles === null ? undefined : Math.max(0, maxFiles - receivedFiles)
  return html`<form method="post" action="/s/${slug}/files" enctype="multipart/form-data" data-uploads="/api/s/${slug}/uploads">
<label>Files to send <input type="file" name="files" multiple required${types === null ? undefined : html` accept="${types.join()}"`}></label>
<button class="main">Send</button>
</form>
<ul id="sending" hidden></ul>
${left === undefined ? undefined : html`<p class="quiet">This share takes ${left} more ${left === 1 ? 'file' : 'files'}.</p>`}
${uploads.length === 0 ? undefined : html`<h2>Your files have arrived</h2>${arrived(uploads)}`}`
}

/** Files in the list of those that have arrived. */
const MAX_ARRIVED = 20

function arrived(uploads: readonly ShareVisitRow[]): Markup {
  const others = uploads.length - MAX_ARRIVED
  const rows = uploads
    .slice(0, MAX_ARRIVED)
    .map(
      ({ name, sentName, bytes }) =>
        html`<li><span class="what">${withMarks(sentName ?? name ?? '')}</span><span class="quiet">${sizeText(bytes)}, received</span></li>`,
    )
  return html`<ul>${rows}</ul>${others > 0 ? html`<p class="quiet">and ${others} more</p>` : undefined}`
}

/** Renders the reason why files were not stored. */
export const refusedPage = (slug: string, reason: string): string =>
  pageOf({
    title: 'Files not sent',
    body: html`<h1>The files were not sent</h1>
<p class="bad" role="alert">${withMarks(reason)}</p>
<p><a class="button" href="/s/${slug}">Try again</a></p>`,
  })

/** Renders what the previews of chats show: title and note, and no file. */
function previewOf({ title, note }: ShareRow): Markup {
  const description = note?.slice(0, 200) ?? 'Files to look at and download'
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${title ?? 'Shared files'}">
<meta property="og:description" content="${description}">`
}

const nextUrl = (slug: string, folderId: string | undefined, after: string) =>
  `${placeUrl(slug, folderId)}${folderId === undefined ? '?' : '&'}after=${encodeURIComponent(after)}`

const archiveUrl = (slug: string, folderId: string | undefined) =>
  `/api/s/${slug}/archive${folderId === undefined ? '' : `?ids=${encodeURIComponent(folderId)}`}`
