import { HoldfastError } from '../../../../client/index.ts'
import { client, hasStatus } from '../../../api/client.ts'
import { refreshFolders } from '../../../api/files.ts'
import { queryClient } from '../../../api/query.ts'
import { previewTexts } from '../../../texts/preview.ts'
import type { FileItem } from '../items.ts'
import { readContent } from '../preview/bytes.ts'

/** Text of some bytes, and what else they need to be the same after an edit. */
export interface OpenedText {
  /** Text with `\n` at the ends of its lines. Line ends of several kinds stay as they are. */
  text: string
  /** Line end of the bytes. */
  lineEnd: string
  /** True for line ends of several kinds. */
  isMixed: boolean
  /** True if the bytes begin with a byte order mark. */
  hasMark: boolean
}

const MARK = '\ufeff'

/** Reads a text in UTF-8. @returns Undefined for any other bytes. */
export function openText(bytes: Uint8Array): OpenedText | undefined {
  const whole = decodeUtf8(bytes)
  if (whole === undefined) return undefined
  const hasMark = whole.startsWith(MARK)
  const text = hasMark ? whole.slice(1) : whole
  const [lineEnd = '\n', ...others] = new Set(text.match(/\r\n?|\n/g))
  if (others.length > 0) return { text, lineEnd: '\n', isMixed: true, hasMark }
  return { text: text.replaceAll(lineEnd, '\n'), lineEnd, isMixed: false, hasMark }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns what a text is stored as. */
export const closeText = (text: string, { lineEnd, hasMark }: Omit<OpenedText, 'text'>): string =>
  (hasMark ? MARK : '') + text.replaceAll('\n', lineEnd)

/** Text as it is stored, with the entity tag that names these bytes. */
export interface StoredText extends OpenedText {
  tag: string
}

/** Reads the stored text of a file. @throws {HoldfastError} also for bytes that are no UTF-8. */
export async function readText(file: FileItem, signal?: AbortSignal): Promise<StoredText> {
  const response = await readContent(file, { signal })
  const opened = openText(new Uint8Array(await response.arrayBuffer()))
  if (!opened) throw new HoldfastError(previewTexts.edit.onlyUtf8, { status: 415 })
  return { ...opened, tag: response.headers.get('ETag') ?? '' }
}

/** State of a file after an attempt to store a text. */
export type Outcome =
  | { is: 'stored'; now: StoredText }
  /** Another text is stored; undefined for one that cannot be shown. */
  | { is: 'clash'; theirs: StoredText | undefined }
  | { is: 'gone' }

/** Stores a text in place of the one that was read, and of no other. @throws {HoldfastError} */
export async function storeText(file: FileItem, text: string, base: StoredText): Promise<Outcome> {
  try {
    await client.files.replace(file.id, closeText(text, base), { ifMatch: base.tag })
  } catch (error) {
    if (hasStatus(error, 404)) return { is: 'gone' }
    if (!hasStatus(error, 412)) throw error
    const theirs = await readText(file).catch(() => undefined)
    // Bytes that were written anew with the same text, also by a request whose response was lost.
    const isSame = theirs && (theirs.text === base.text || theirs.text === text)
    return isSame ? storeText(file, text, theirs) : { is: 'clash', theirs }
  }
  void refreshFolders()
  // Their key is the time, and two changes within a second have the same.
  for (const shown of ['text-head', 'text']) queryClient.removeQueries({ queryKey: [shown, file.id] })
  const now = await readText(file)
  return now.text === text ? { is: 'stored', now } : { is: 'clash', theirs: now }
}
