import { refuseInvalid } from './errors.ts'

/** Longest name that common file systems accept, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255
/** Longest object key, in bytes of UTF-8. Together with the volume's own path it stays below the system's limit. */
export const MAX_KEY_BYTES = 4000

/** Files in the folder of a site that tell how all of it is served. */
export const RULE_FILES = ['_headers', '_redirects'] as const

/** Returns true for the name of a file with rules, which a stranger must not choose. */
export const isRuleFile = (name: string): boolean => RULE_FILES.some((rule) => rule === name)

const CONTROL_OR_SEPARATOR = /[\p{Cc}/\\]/u

/** Returns the reason why `name` cannot name a file or folder, as text to follow the name; `undefined` if it can. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty'
  if (name === '.' || name === '..') return 'must not be "." or ".."'
  if (CONTROL_OR_SEPARATOR.test(name)) return 'must not contain "/", "\\" or control characters'
  if (!name.isWellFormed()) return 'must be well-formed Unicode'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `must have at most ${MAX_NAME_BYTES} bytes`
  return undefined
}

/**
 * Validates a name.
 *
 * @param what Subject of the message, such as "The file name".
 * @throws {Refusal} `invalid` when `name` is not a valid name.
 */
export function assertName(name: string, what: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw refuseInvalid(`${what} ${problem}`)
}

/**
 * Parses a folder key from a caller into segments, without outer and doubled slashes. The root is the empty list.
 *
 * @throws {Refusal} `invalid` when a segment is not a valid name or the key is too long.
 */
export function parseFolderKey(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '')
  if (isTooLong(segments.join('/')))
    throw refuseInvalid(`The folder must have at most ${MAX_KEY_BYTES} bytes`)
  for (const segment of segments) assertName(segment, 'A folder name')
  return segments
}

/** Returns true for a key that is longer than any object key. */
export const isTooLong = (key: string) => Buffer.byteLength(key) > MAX_KEY_BYTES

/** Parses an exact key into segments; `undefined` when no file or folder can have it. */
export function parseExactKey(key: string): string[] | undefined {
  if (key === '' || isTooLong(key)) return undefined
  const segments = key.split('/')
  return segments.some((segment) => nameProblem(segment) !== undefined) ? undefined : segments
}

/** Returns true for the key of a folder, and for one below it. The empty key is that of the root. */
export const isAtOrBelow = (key: string, folder: string): boolean =>
  folder === '' || key === folder || key.startsWith(`${folder}/`)

/** Returns the key of `name` in the folder at `folderKey`; the root's is the empty string. */
export const joinKey = (folderKey: string, name: string) => (folderKey === '' ? name : `${folderKey}/${name}`)

/** Returns the names from the root to a folder. */
export const segmentsOf = (folderKey: string): string[] => (folderKey === '' ? [] : folderKey.split('/'))

/** Maximum length of what follows the last dot of a name and still is an extension. */
const MAX_EXTENSION = 20

/** Item by the name that it is to have. */
export interface NamedItem {
  name: string
  kind: 'file' | 'folder'
}

/**
 * Returns the name of an item with a number, such as `photo (2).jpg`: before the extension of a file, at the end of a
 * folder's name. Number 1 is the name itself. A name that would be too long is cut.
 */
export function numberedName({ name, kind }: NamedItem, number: number): string {
  if (number === 1) return name
  const dot = kind === 'file' ? name.lastIndexOf('.') : -1
  const at = dot > 0 && name.length - dot <= MAX_EXTENSION ? dot : name.length
  const ending = ` (${number})${name.slice(at)}`
  return `${cutToBytes(name.slice(0, at), MAX_NAME_BYTES - Buffer.byteLength(ending))}${ending}`
}

/** Numbers that are tried one after another, so that a gap among few is found. */
const TRIED_IN_TURN = 16
/** Number above which nothing is tried: no folder has so many entries, so something else takes each name. */
const MAX_NUMBER = 2 ** 40

/**
 * Searches for the number of a free name. It yields numbers and is told whether each is taken. It returns a free one whose
 * predecessor is taken; `undefined` where none is free. Past the first numbers it doubles its steps and halves them again:
 * a thousand taken names take thirty questions.
 *
 * @param first Number below which all are known to be taken.
 */
export function* searchNumber(first = 1): Generator<number, number | undefined, boolean> {
  let taken = first - 1
  let step = 1
  while (yield taken + step) {
    taken += step
    if (taken >= first + TRIED_IN_TURN) step *= 2
    if (taken > MAX_NUMBER) return undefined
  }
  let free = taken + step
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (yield middle) taken = middle
    else free = middle
  }
  return free
}

/** Returns the number of a free name, as {@link searchNumber} does. */
export async function findNumber(
  item: NamedItem,
  isTaken: (name: string) => boolean | Promise<boolean>,
  first?: number,
): Promise<number | undefined> {
  const search = searchNumber(first)
  let step = search.next()
  while (!step.done) step = search.next(await isTaken(numberedName(item, step.value)))
  return step.value
}

/** Cuts text to a number of bytes, between characters. */
function cutToBytes(text: string, bytes: number): string {
  let cut = text
  while (Buffer.byteLength(cut) > bytes) cut = [...cut].slice(0, -1).join('')
  return cut
}

/** Describes one or several names in an entry of a history: `target` names them, `detail` lists some of several. */
export function describeNames(names: readonly string[]): { target: string | null; detail: string | null } {
  const [first] = names
  if (first === undefined) return { target: null, detail: null }
  if (names.length === 1) return { target: first, detail: null }
  const shown = names.slice(0, 3).join(', ')
  const detail = names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
  return { target: `${names.length} files`, detail }
}
