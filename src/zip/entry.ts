/** The bytes of a file: all of them at once, or a stream of them. */
export type ZipContent = Uint8Array | AsyncIterable<Uint8Array>

/** A file or a directory in an archive. */
export interface ZipEntry {
  /** Where the entry is, from the archive's top: segments joined by `/`. A directory's ends with `/`. */
  path: string
  /** Length in bytes; 0 for a directory. */
  size: number
  /** Unsigned CRC-32 of the bytes; 0 for a directory. */
  crc32: number
  /** Modification time in milliseconds since 1970, UTC. */
  modifiedAt: number
  /**
   * Opens the bytes. Called at most once, when it is the entry's turn. Only a directory has none.
   *
   * Large chunks are passed on without a copy: what it hands over must not change until more is asked for.
   */
  open?: () => ZipContent | Promise<ZipContent>
}

/** What of an entry decides how many bytes it takes in an archive. */
export type ZipExtent = Pick<ZipEntry, 'path' | 'size'>

/** Longest path in bytes of UTF-8, inclusive: what its 16-bit length field can say. */
const MAX_PATH_BYTES = 0xffff

/** An empty or absolute path, an empty segment, `.` or `..` as a segment, a backslash, a NUL. */
const UNSAFE_PATH = /^$|^\/|\/\/|(?:^|\/)\.\.?(?:\/|$)|[\\\0]/

export const isDirectory = ({ path }: ZipExtent): boolean => path.endsWith('/')

/**
 * Checks that an entry can be archived and stays below the folder that the archive is extracted to.
 *
 * Colons are allowed, also as in `C:/a`: they are characters of names like any other, and a reader on a
 * system where they name a drive has to replace them, as it has to for other names that system lacks.
 *
 * @returns The length of the path in bytes of UTF-8.
 * @throws {RangeError} If the path is unsafe, ill-formed or too long, or the size is not one.
 */
export function checkExtent(extent: ZipExtent): number {
  const { path, size } = extent
  if (UNSAFE_PATH.test(path)) throw unfit(path, 'its path could lead outside the archive')
  // Encoded, lone surrogates would all become the same character, and different paths one.
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
