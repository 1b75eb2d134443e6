import { html, type Markup } from '../../../api/html.ts'
import type { PageWords } from '../../../api/pages/texts.ts'
import { withMarks } from '../../../platform/marks.ts'
import type { ShareRow, ShareVisitRow } from '../../../store/rows.ts'
import type { Room } from '../receive.ts'

/**
 * Renders what a drop box takes, with its form while it takes any, and the files that have arrived.
 *
 * @param room Room for files; undefined while the box cannot receive.
 */
export const boxOf = (
  words: PageWords,
  share: ShareRow,
  sender: string,
  room: Room | undefined,
  uploads: readonly ShareVisitRow[],
): Markup =>
  html`${uploads.length === 0 ? undefined : html`<h2>${words.box.arrived(withMarks(sender), uploads.length)}</h2>`}${room && !isFull(room) ? formOf(words, share) : undefined}
<p class="quiet" id="rules">${rulesOf(words, share, room)}</p>
${uploads.length === 0 ? undefined : arrived(words, uploads)}`

/** True when a drop box takes no more files. */
const isFull = ({ files, bytes }: Pick<Room, 'files' | 'bytes'>) => files <= 0 || bytes <= 0

/** True when a drop box takes no more files, although uploads under way end without one. */
const hasAll = ({ files, bytes, reserved }: Room) =>
  isFull({ files: files + reserved.files, bytes: bytes + reserved.bytes })

const formOf = ({ box, byte, script, refusals }: PageWords, { slug, types }: ShareRow) =>
  html`<form method="post" action="/s/${slug}/files" enctype="multipart/form-data" data-uploads="/api/s/${slug}/uploads" data-words="${JSON.stringify({ ...script, byte, refusals })}">
<label>${box.choose} <input type="file" name="files" multiple required${types === null ? undefined : html` accept="${types.join()}"`}></label>
<ul id="sending" hidden></ul>
<button class="main">${box.send}</button>
</form>`

function rulesOf(
  { box: texts }: PageWords,
  { maxFiles, maxBytes, types }: ShareRow,
  room: Room | undefined,
): string {
  if (!room) return texts.away
  if (hasAll(room)) return texts.hasAll
  if (isFull(room)) return texts.isFull
  const isLimited = maxFiles !== null || maxBytes !== null
  const [files, bytes] = [
    maxFiles === null ? undefined : room.files,
    maxBytes === null ? undefined : room.bytes,
  ]
  return [
    isLimited ? texts.some(files, bytes, room.fileBytes) : texts.any(room.fileBytes),
    types && texts.types(types.join(', ')),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Files in the list of those that have arrived. */
const MAX_ARRIVED = 20

function arrived({ box: texts }: PageWords, uploads: readonly ShareVisitRow[]): Markup {
  const others = uploads.length - MAX_ARRIVED
  const rows = uploads
    .slice(0, MAX_ARRIVED)
    .map(
      ({ name, sentName, bytes }) =>
        html`<li><span class="what">${withMarks(sentName ?? name ?? '')}</span><span class="quiet">${texts.received(bytes)}</span></li>`,
    )
  return html`<ul>${rows}</ul>${others > 0 ? html`<p class="quiet">${texts.others(others)}</p>` : undefined}`
}
