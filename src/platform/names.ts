import { refuseInvalid } from './errors.ts'

/** Longest name, in bytes of UTF-8: what common file systems take. */
export const MAX_NAME_BYTES = 255
/** Longest key, in bytes of UTF-8: together with the volume's own path it stays below the system's limit. */
export const MAX_KEY_BYTES = 4000

const CONTROL_OR_SEPARATOR = /[\p{Cc}/\\]/u

/**
 * What keeps `name` from being a file's or folder's name (spec: open points §4), in words that follow the
 * name; `undefined` when nothing does.
 */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty'
  if (name === '.' || name === '..') return 'must not be "." or ".."'
  if (CONTROL_OR_SEPARATOR.test(name)) return 'must not contain "/", "\\" or control characters'
  if (!name.isWellFormed()) return 'must be well-formed Unicode'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `must have at most ${MAX_NAME_BYTES} bytes`
  return undefined
}

/** @throws {Refusal} `invalid` when `name` is not a valid name; `what` says whose name it is. */
export function assertName(name: string, what: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw refuseInvalid(`${what} ${problem}`)
}

/**
 * The segments of a folder key that a caller sent: outer and doubled slashes are dropped, the root is
 * the empty list.
 *
 * @throws {Refusal} `invalid` when a segment is not a valid name or the key is too long.
 */
export function parseFolderKey(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '')
  if (isTooLong(segments.join('/')))
    throw refuseInvalid(`The folder must have at most ${MAX_KEY_BYTES} bytes`)
  for (const segment of segments) assertName(segment, 'Each folder name')
  return segments
}

/** Whether nothing can have this key because of its length. */
export const isTooLong = (key: string) => Buffer.byteLength(key) > MAX_KEY_BYTES

/** The segments of an exact key, or `undefined` when it cannot be the key of anything. */
export function parseExactKey(key: string): string[] | undefined {
  if (key === '' || isTooLong(key)) return undefined
  const segments = key.split('/')
  return segments.some((segment) => nameProblem(segment) !== undefined) ? undefined : segments
}

/** The key of `name` in the folder at `folderKey`, whose root is the empty string. */
export const joinKey = (folderKey: string, name: string) => (folderKey === '' ? name : `${folderKey}/${name}`)
