import type { FileRow, FolderRow, ShareRow, ShareVisitRow } from '../../../store/rows.ts'
import { html, type Markup } from '../../docs/html.ts'
import { mayHaveThumbnail } from '../../thumbnails/thumbnails.ts'
import { pageOf } from '../../web/page.ts'
import type { Content } from '../content.ts'

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
<button>Open</button>
</form>
${problem === undefined ? undefined : html`<p class="bad" role="alert">${problem}</p>`}`,
  })

interface Shown {
  share: ShareRow
  content: Content
  /** Folder that is shown, and the one above it if that is shared, too. */
  place?: { folder: FolderRow; parentId: string | undefined } | undefined
  /** Files that this visitor has sent. */
  uploads?: readonly ShareVisitRow[]
  /** Script that sends files in pieces. Without it, the plain form works. */
  script?: string | undefined
}

/** Renders the items of a share, or the content of a folder in it. */
export function sharePage({ share, content, place, uploads = [], script }: Shown): string {
  const { slug, passwordHash } = share
  const heading = place?.folder.name ?? share.title ?? 'Shared files'
  const { files, folders, next } = content
  const isEmpty = files.length + folders.length === 0
  return pageOf({
    title: heading,
    ...(passwordHash === null && { head: previewOf(share) }),
    body: html`${place && html`<p><a href="${placeUrl(slug, place.parentId)}">Back</a></p>`}
<h1>${heading}</h1>
${place || share.note === null ? undefined : html`<p class="note">${share.note}</p>`}
${share.canWrite && !place ? uploadForm(share, uploads) : undefined}
${isEmpty && share.canRead ? html`<p class="quiet">There are no files here now.</p>` : undefined}
${isEmpty ? undefined : html`<ul>${folders.map((folder) => folderItem(slug, folder))}${files.map((file) => fileItem(slug, file))}</ul>`}
${next === null || !place ? undefined : html`<p><a class="button" href="${placeUrl(slug, place.folder.id)}&amp;after=${encodeURIComponent(next)}">More files</a></p>`}
${isEmpty ? undefined : html`<p><a class="button" href="${archiveUrl(slug, place?.folder.id)}">Download all as ZIP</a></p>`}
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
<button>Send</button>
</form>
<ul id="sending" hidden></ul>
${left === undefined ? undefined : html`<p class="quiet">This share takes ${left} more ${left === 1 ? 'file' : 'files'}.</p>`}
${uploads.length === 0 ? undefined : html`<h2>Your files have arrived</h2><ul>${uploads.map(({ name, bytes }) => html`<li><span>${name ?? ''}</span><span class="quiet">${sizeText(bytes)}, received</span></li>`)}</ul>`}`
}

/** Renders the reason why files were not stored. */
export const refusedPage = (slug: string, reason: string): string =>
  pageOf({
    title: 'Files not sent',
    body: html`<h1>The files were not sent</h1>
<p class="bad" role="alert">${reason}</p>
<p><a class="button" href="/s/${slug}">Try again</a></p>`,
  })

/** Renders what the previews of chats show: title and note, and no file. */
function previewOf({ title, note }: ShareRow): Markup {
  const description = note?.slice(0, 200) ?? 'Files to look at and download'
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${title ?? 'Shared files'}">
<meta property="og:description" content="${description}">`
}

const placeUrl = (slug: string, folderId: string | undefined) =>
  `/s/${slug}${folderId === undefined ? '' : `?folder=${encodeURIComponent(folderId)}`}`

const archiveUrl = (slug: string, folderId: string | undefined) =>
  `/api/s/${slug}/archive${folderId === undefined ? '' : `?ids=${encodeURIComponent(folderId)}`}`

const folderItem = (slug: string, { id, name }: FolderRow) =>
  html`<li><span class="icon"></span><a href="${placeUrl(slug, id)}">${name}/</a><span class="quiet">Folder</span></li>`

function fileItem(slug: string, file: FileRow): Markup {
  const { id, name, size } = file
  const url = `/api/s/${slug}/files/${id}`
  const picture = mayHaveThumbnail(file)
    ? html`<img src="/api/s/${slug}/thumbs/${id}?width=200" alt="" width="64" height="64" loading="lazy">`
    : html`<span class="icon"></span>`
  return html`<li>${picture}<a href="${url}">${name}</a><span class="quiet">${sizeText(size)}</span><a href="${url}?download=1" aria-label="Download ${name}">Download</a></li>`
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Formats a size for people, with one digit behind the point below ten. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)), UNITS.length - 1)
  const value = bytes / 1024 ** power
  return `${power > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`
}
