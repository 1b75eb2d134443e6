import type { TreeContext } from '../../../access/context.ts'
import { html, type Markup, textOf } from '../../../api/html.ts'
import type { PageWords } from '../../../api/pages/texts.ts'
import { kindOf } from '../../../platform/kinds.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, ShareRow } from '../../../store/rows.ts'
import { fileUrl, thumbnailUrl, typeOf } from './items.ts'

/** Maximum bytes of a text that are read for a page. */
const MAX_TEXT_BYTES = 32 * 1024
/** Width of a large picture in pixels. */
const LARGE_WIDTH = 1600

/** File on a page of its own. */
interface Viewed {
  words: PageWords
  share: ShareRow
  file: FileRow
  /** True for a file that has a thumbnail. */
  hasThumbnail: boolean
  /** Beginning of a text; undefined for other content. */
  text?: string | undefined
}

/** File as a browser shows it, and the directives of the policy that this needs. */
export interface View {
  markup: Markup
  shows: readonly string[]
}

/** Way to show a file. What may be a `text` is one by its content. */
type Way = 'picture' | 'video' | 'audio' | 'pdf' | 'text' | 'none'

/** Returns how a browser shows a file. A share that counts downloads shows no bytes of files before one is counted. */
function wayOf({ maxDownloads }: Pick<ShareRow, 'maxDownloads'>, file: FileRow, hasThumbnail: boolean): Way {
  const { mimeType, size } = file
  const kind = kindOf(file)
  if (kind === 'image' && hasThumbnail) return 'picture'
  // A player asks for bytes when it is started.
  if (kind === 'video' || kind === 'audio') return kind
  if (maxDownloads !== null || size === 0) return 'none'
  if (kind === 'image') return 'picture'
  return mimeType === 'application/pdf' ? 'pdf' : 'text'
}

/** Characters that no text has. */
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/** Reads the beginning of a file that is a text in UTF-8; undefined for other files. */
export async function beginningOf(
  { store }: TreeContext,
  share: ShareRow,
  file: FileRow & { key: string },
): Promise<string | undefined> {
  if (wayOf(share, file, false) !== 'text') return undefined
  const opened = await store.openFile(file)
  if (!opened) return undefined
  const last = Math.min(opened.size, MAX_TEXT_BYTES) - 1
  if (last < 0) {
    opened.close()
    return undefined
  }
  const bytes = await new Response(opened.body(0, last)).bytes()
  try {
    // A character at the end may be cut.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return BINARY.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * Renders a file.
 *
 * @param room Maximum bytes of its text.
 */
export function viewOf({ words, share, file, hasThumbnail, text }: Viewed, room: number): View {
  const { id, name, mimeType } = file
  const url = fileUrl(share.slug, id)
  const large = thumbnailUrl(share.slug, id, LARGE_WIDTH)
  const framed = (content: Markup, ...shows: string[]): View => ({
    markup: html`<figure class="view">${content}</figure>`,
    shows,
  })
  const preload = hasThumbnail || share.maxDownloads !== null ? 'none' : 'metadata'
  switch (wayOf(share, file, hasThumbnail)) {
    case 'picture':
      return framed(
        html`<img src="${hasThumbnail ? large : url}" alt="${withMarks(name)}" data-type="${typeOf(name)}">`,
      )
    case 'video':
      return framed(
        html`<video src="${url}" controls playsinline preload="${preload}"${hasThumbnail ? html` poster="${large}"` : undefined}></video>`,
        'media-src',
      )
    case 'audio':
      return framed(html`<audio src="${url}" controls preload="${preload}"></audio>`, 'media-src')
    case 'pdf':
      return framed(
        html`<object data="${url}" type="${mimeType}" aria-label="${withMarks(name)}">${noneOf(name, words.pdfUnshown)}</object>`,
        'object-src',
        'frame-src',
      )
    case 'text':
      return text === undefined ? framed(noneOf(name, words.unshown)) : textView(words, file, text, room)
    default:
      return framed(noneOf(name, share.maxDownloads === null ? words.unshown : words.limited))
  }
}

const noneOf = (name: string, reason: string): Markup =>
  html`<div class="none"><span class="icon" aria-hidden="true">${typeOf(name)}</span><p>${reason}</p></div>`

/** Renders as much of a text as fits. */
function textView(words: PageWords, { name, size }: FileRow, text: string, room: number): View {
  let shown = text
  let markup = textOf(shown)
  while (Buffer.byteLength(markup.markup) > room) {
    shown = shown.slice(0, Math.floor(shown.length / 2)).replace(/[\ud800-\udbff]$/, '')
    markup = textOf(shown)
  }
  const isWhole = Buffer.byteLength(shown) >= size
  return {
    // A line break at the beginning belongs to the element (HTML Standard §13.1.2.5).
    markup: html`<figure class="view"><pre tabindex="0" aria-label="${withMarks(name)}">
${markup}</pre></figure>${isWhole ? undefined : html`<p class="quiet">${words.beginning}</p>`}`,
    shows: [],
  }
}
