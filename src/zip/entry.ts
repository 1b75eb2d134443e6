/** Bytes of a file: all at once, or a stream. */
export type ZipContent = Uint8Array | AsyncIterable<Uint8Array>

/** File or directory in an archive. */
export interface ZipEntry {
  /** Path from the top of the archive: segments joined by `/`. A directory's ends with `/`. */
  path: string
  /** Length in bytes; 0 for a directory. */
  size: number
  /** Unsigned CRC-32 of the bytes; 0 for a directory. */
  crc32: number
  /** Modification time in milliseconds since 1970, UTC. */
  modifiedAt: number
  /**
   * Opens the bytes. Called at most once, after the entries before it are written. Only a directory has none.
   *
   * Large chunks are passed on without a copy: a chunk must not change until the next is requested.
   */
  open?: () => ZipContent | Promise<ZipContent>
}

/** Properties that decide the length of an entry in an archive. */
export type ZipExtent = Pick<ZipEntry, 'path' | 'size'>

/** Longest path in bytes of UTF-8, inclusive: its length field has 16 bits. */
const MAX_PATH_BYTES = 0xffff

/** Pattern of unsafe paths: empty, absolute, or with an empty segment, `.`, `..`, a backslash or a NUL. */
const UNSAFE_PATH = /^$|^\/|\/\/|(?:^|\/)\.\.?(?:\/|$)|[\\\0]/

export const isDirectory = ({ path }: ZipExtent): boolean => path.endsWith('/')

/**
 * Checks that an entry can be archived and stays below the folder that the archive is extracted to.
 *
 * Colons are allowed, also as in `C:/a`, because they are ordinary characters of names. A reader on a system with
 * drives has to replace them, like other names that its system does not allow.
 *
 * @returns Length of the path in bytes of UTF-8.
 * @throws {RangeError} If the path is unsafe, ill-formed or too long, or the size is not one.
 */
export function checkExtent(extent: ZipExtent): number {
  const { path, size } = extent
  if (UNSAFE_PATH.test(path)) throw unfit(path, 'its path could lead outside the archive')
  // Encoding turns every lone surrogate into the same character, so that different paths would become one.
  if (!path.isWellFormed()) throw unfit(path, 'its path is not well-formed Unicode')
  const pathBytes = Buffer.byteLength(path)
  if (pathBytes > MAX_PATH_BYTES) throw unfit(path, `its path has more than ${MAX_PATH_BYTES} bytes`)
  if (!Number.isSafeInteger(size) || size < 0) throw unfit(path, `its size is ${size}`)
  if (size > 0 && isDirectory(extent)) throw unfit(path, 'a directory has no bytes')
  return pathBytes
}

const MAX_SHOWN_CHARACTERS = 100

const unfit = (path: string, state: string) =>
  new RangeError(`Cannot archive ${JSON.stringify(path.slice(0, MAX_SHOWN_CHARACTERS))}: ${state}`)
