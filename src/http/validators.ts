/** What identifies one state of a file: both change when its bytes do (RFC 9110 §8.8). */
export interface Validators {
  /** A strong entity tag with its quotes. */
  etag: string
  /** Milliseconds since 1970, always whole seconds: that is all an HTTP-date can say. */
  lastModified: number
}

interface FileState {
  /** Length in bytes. */
  size: number
  /** Modification time in milliseconds since 1970. Volumes hold odd ones: before 1970, ahead of the clock. */
  mtimeMs: number
  /** The current time in milliseconds since 1970. */
  now: number
}

/** One entity tag compared with another; see `strongMatch` and `weakMatch`. */
type TagComparison = (a: string, b: string) => boolean

/** One element of a list of entity tags, which may be empty (RFC 9110 §5.6.1, §8.8.3). */
const LIST_ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy

/**
 * The validators of a stored file.
 *
 * The tag is made of size and modification time, to the millisecond, so that two writes in one second
 * differ. The date lies between 1970 and `now` whatever the volume says: an origin server must not send a
 * Last-Modified later than its own clock (RFC 9110 §8.8.2.1).
 */
export function fileValidators({ size, mtimeMs, now }: FileState): Validators {
  const modified = Number.isFinite(mtimeMs) ? Math.floor(mtimeMs) : 0
  return {
    etag: `"${size.toString(16)}-${modified.toString(16)}"`,
    lastModified: wholeSeconds(Math.max(0, Math.min(modified, now))),
  }
}

const wholeSeconds = (epochMs: number) => epochMs - (epochMs % 1000)

/** Whether both tags are strong and equal (RFC 9110 §8.8.3.2). */
export const strongMatch: TagComparison = (a, b) => a === b && !isWeak(a)

/** Whether the tags are equal, weak or not (RFC 9110 §8.8.3.2). */
export const weakMatch: TagComparison = (a, b) => opaqueTag(a) === opaqueTag(b)

/** The prefix is case-sensitive (RFC 9110 §8.8.3). */
const isWeak = (tag: string) => tag.startsWith('W/')
const opaqueTag = (tag: string) => (isWeak(tag) ? tag.slice(2) : tag)

/**
 * Lists the entity tags of an `If-Match` or `If-None-Match` value, quotes and `W/` kept.
 *
 * Reading ends at the first malformed element, as nobody can say where it would end: the ones before it
 * count, the rest match nothing.
 */
export function scanEntityTags(value: string): string[] {
  const tags: string[] = []
  for (const [, tag] of value.matchAll(LIST_ELEMENT)) {
    if (tag !== undefined) tags.push(tag)
  }
  return tags
}

/**
 * Whether an `If-Match` or `If-None-Match` value names the entity tag of an existing file: by `*`, or by a
 * tag of its list that `compare` finds equal (RFC 9110 §13.1.1, §13.1.2).
 */
export function namesEntityTag(value: string, etag: string, compare: TagComparison): boolean {
  // Most requests repeat the one tag they were given, which needs no scan.
  if (value === '*' || compare(value, etag)) return true
  return scanEntityTags(value).some((tag) => compare(tag, etag))
}
