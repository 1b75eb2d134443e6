import type { TreeContext } from '../../../access/context.ts'
import { html, type Markup } from '../../../api/html.ts'
import { pageOf } from '../../../api/page.ts'
import type { PageWords } from '../../../api/pages/texts.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, ShareRow, Work } from '../../../store/rows.ts'
import { fileNotFound } from '../../../views/files.ts'
import { requireFile, requireFolder } from '../access.ts'
import { itemsOf } from '../content.ts'
import { fileUrl, isBefore, pictureUrl, placeUrl, ROW_WIDTH, thumbnailUrl } from './items.ts'
import { backTo } from './page.ts'
import { viewOf } from './show.ts'

/** Files on each side of a picture among which its neighbours are looked for. */
const NEAR_FILES = 50
/** Pictures of the film strip on each side. */
const STRIP_PICTURES = 12

/** Picture or video of a share, and those near it in the same folder, or among the items of the share. */
interface Shown {
  file: FileRow
  folderId: string | undefined
  /** Pictures before it, in their order. */
  before: FileRow[]
  after: FileRow[]
}

interface Wanted {
  id: string
  /** Folder whose page leads to the picture; undefined for the first page. */
  folderId: string | undefined
  isPicture: (file: FileRow) => boolean
}

/** Finds a picture and its neighbours. @throws {Refusal} `not-found`. */
export function* findPicture(
  deps: TreeContext,
  share: ShareRow,
  { id, folderId, isPicture }: Wanted,
): Work<Shown> {
  const file = yield* requireFile(deps, share, id)
  if (!isPicture(file)) throw fileNotFound()
  if (folderId === undefined) {
    const pictures = (yield* itemsOf(deps, share)).files.filter(isPicture)
    const before = pictures.filter((other) => isBefore(other, file)).slice(-STRIP_PICTURES)
    const after = pictures.filter((other) => isBefore(file, other)).slice(0, STRIP_PICTURES)
    return { file, folderId, before, after }
  }
  yield* requireFolder(deps, share, folderId)
  const { files } = deps.store
  const before = (yield* files.inFolderBefore(folderId, file.name, NEAR_FILES)).filter(isPicture)
  const after = (yield* files.inFolderAfter(folderId, file.name, NEAR_FILES)).filter(isPicture)
  return {
    ...{ file, folderId, after: after.slice(0, STRIP_PICTURES) },
    before: before.slice(0, STRIP_PICTURES).toReversed(),
  }
}

/**
 * Renders the page of a picture or a video, large, without counting a download.
 *
 * @param script Script with which keys and swipes lead to the others.
 */
export function picturePage(
  words: PageWords,
  share: ShareRow,
  shown: Shown,
  script: string | undefined,
): string {
  const { slug } = share
  const { file, folderId, before, after } = shown
  const { id, name, size } = file
  const step = (rel: string, label: string, arrow: string, other: FileRow | undefined): Markup | undefined =>
    other &&
    html`<a rel="${rel}" href="${pictureUrl(slug, folderId, other.id)}" aria-label="${label}">${arrow}</a>`
  return pageOf({
    words,
    title: withMarks(name),
    body: html`<header class="head"><div>${backTo(words, placeUrl(slug, folderId))}
<h1>${withMarks(name)}</h1></div><a class="button main" href="${fileUrl(slug, id)}?download=1">${words.downloadOne(size)}</a></header>
<div class="stage">${viewOf({ words, share, file, hasThumbnail: true }, 0).markup}<nav class="steps" aria-label="${words.pictures}">${step('prev', words.previous, '‹', before.at(-1))}${step('next', words.next, '›', after[0])}</nav></div>
${before.length + after.length === 0 ? undefined : stripOf(words, slug, shown)}`,
    end: script === undefined ? undefined : html`<script>${{ markup: script }}</script>`,
  })
}

/** Renders small pictures around the one that is shown, which lead to them. */
function stripOf(words: PageWords, slug: string, { file, folderId, before, after }: Shown): Markup {
  const items = [...before, file, ...after].map(
    (other) =>
      html`<a href="${pictureUrl(slug, folderId, other.id)}"${other === file ? html` aria-current="page"` : undefined}><img src="${thumbnailUrl(slug, other.id, ROW_WIDTH)}" alt="${withMarks(other.name)}" loading="lazy"></a>`,
  )
  return html`<nav class="strip" aria-label="${words.strip}">${items}</nav>`
}
