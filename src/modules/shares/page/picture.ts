import type { TreeContext } from '../../../access/context.ts'
import { html, type Markup } from '../../../api/html.ts'
import { pageOf } from '../../../api/page.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { FileRow, ShareRow, Work } from '../../../store/rows.ts'
import { fileNotFound } from '../../../views/files.ts'
import { requireFile, requireFolder } from '../access.ts'
import { itemsOf } from '../content.ts'
import { fileUrl, isBefore, pictureUrl, placeUrl, thumbnailUrl, typeOf } from './items.ts'
import { backTo } from './page.ts'
import { pageTexts } from './texts.ts'

/** Files on each side of a picture among which the next one is looked for. */
const NEAR_FILES = 50

/** Picture of a share, and those before and after it in the same folder, or among the items of the share. */
interface Shown {
  file: FileRow
  folderId: string | undefined
  before: FileRow | undefined
  after: FileRow | undefined
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
  { id, folderId, isPicture: hasThumbnail }: Wanted,
): Work<Shown> {
  const file = yield* requireFile(deps, share, id)
  const isPicture = (other: FileRow) => other.mimeType.startsWith('image/') && hasThumbnail(other)
  if (!isPicture(file)) throw fileNotFound()
  if (folderId === undefined) {
    const pictures = (yield* itemsOf(deps, share)).files.filter(isPicture)
    const before = pictures.filter((other) => isBefore(other, file)).at(-1)
    return { file, folderId, before, after: pictures.find((other) => isBefore(file, other)) }
  }
  yield* requireFolder(deps, share, folderId)
  const { files } = deps.store
  return {
    file,
    folderId,
    before: (yield* files.inFolderBefore(folderId, file.name, NEAR_FILES)).find(isPicture),
    after: (yield* files.inFolderAfter(folderId, file.name, NEAR_FILES)).find(isPicture),
  }
}

/** Renders the page of a picture, large, without counting a download. */
export function picturePage({ slug }: ShareRow, { file, folderId, before, after }: Shown): string {
  const { id, name, size } = file
  const step = (text: string, other: FileRow | undefined): Markup =>
    other
      ? html`<a class="button" href="${pictureUrl(slug, folderId, other.id)}">${text}</a>`
      : html`<span class="button off">${text}</span>`
  return pageOf({
    title: withMarks(name),
    body: html`<header class="head"><div>${backTo(placeUrl(slug, folderId))}
<h1>${withMarks(name)}</h1></div><a class="button main" href="${fileUrl(slug, id)}?download=1">${pageTexts.downloadOne(size)}</a></header>
<p class="view"><img src="${thumbnailUrl(slug, id, 1600)}" alt="${withMarks(name)}" data-type="${typeOf(name)}"></p>
<nav class="steps" aria-label="${pageTexts.pictures}">${step(pageTexts.previous, before)}${step(pageTexts.next, after)}</nav>`,
  })
}
