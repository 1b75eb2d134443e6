/** Validators of one state of a file: both change when its bytes change (RFC 9110 §8.8). */
export interface Validators {
  /** Strong entity tag with its quotes. */
  etag: string
  /** Milliseconds since 1970, in whole seconds: an HTTP-date has no fraction. */
  lastModified: number
}

interface FileState {
  /** Length in bytes. */
  size: number
  /** Modification time in milliseconds since 1970. Volumes hold odd ones: before 1970, ahead of the clock. */
  mtimeMs: number
  /** Current time in milliseconds since 1970. */
  now: number
}

/** Comparison of two entity tags: `strongMatch` or `weakMatch`. */
type TagComparison = (a: string, b: string) => boolean

/** Element of a list of entity tags, possibly empty (RFC 9110 §5.6.1, §8.8.3). */
const LIST_ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy

/**
 * Returns the validators of a stored file.
 *
 * The tag has size and modification time, to the millisecond, so that two writes in one second differ. The date is
 * clamped to 1970 and `now`: an origin server must not send a Last-Modified later than its own clock (RFC 9110
 * §8.8.2.1).
 */
export function fileValidators({ size, mtimeMs, now }: FileState): Validators {
  const modified = Number.isFinite(mtimeMs) ? Math.floor(mtimeMs) : 0
  return {
    etag: `"${size.toString(16)}-${modified.toString(16)}"`,
    lastModified: wholeSeconds(Math.max(0, Math.min(modified, now))),
  }
}

const wholeSeconds = (epochMs: number) => epochMs - (epochMs % 1000)

/** Returns true if both tags are strong and equal (RFC 9110 §8.8.3.2). */
export const strongMatch: TagComparison = (a, b) => a === b && !isWeak(a)

/** Returns true if the tags are equal, weak or not (RFC 9110 §8.8.3.2). */
export const weakMatch: TagComparison = (a, b) => opaqueTag(a) === opaqueTag(b)

/** Returns true for a weak tag. The prefix is case-sensitive (RFC 9110 §8.8.3). */
const isWeak = (tag: string) => tag.startsWith('W/')
const opaqueTag = (tag: string) => (isWeak(tag) ? tag.slice(2) : tag)

/**
 * Returns the entity tags of an `If-Match` or `If-None-Match` value, with quotes and `W/`.
 *
 * Stops at the first malformed element, because its end is unknown. The elements before it count, the rest match
 * nothing.
 */
export function scanEntityTags(value: string): string[] {
  const tags: string[] = []
  for (const [, tag] of value.matchAll(LIST_ELEMENT)) {
    if (tag !== undefined) tags.push(tag)
  }
  return tags
}

/**
 * Returns true if an `If-Match` or `If-None-Match` value names the entity tag of an existing file: by `*`, or by a tag
 * in its list that `compare` finds equal (RFC 9110 §13.1.1, §13.1.2).
 */
export function namesEntityTag(value: string, etag: string, compare: TagComparison): boolean {
  // Most requests have a single tag, which needs no scan.
  if (value === '*' || compare(value, etag)) return true
  return scanEntityTags(value).some((tag) => compare(tag, etag))
}
