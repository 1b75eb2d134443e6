import { closeSync, constants, fsync, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const fsyncAsync = promisify(fsync)

/** Whether the system shows open files under `/proc`, as Linux does. */
const HAS_PROC = process.platform === 'linux'

/**
 * Whether the open file `fd` is the one at `path`, with no symbolic link on the way. `O_NOFOLLOW` covers
 * the last component only; the kernel's own name for what was opened covers the folders above it, and
 * cannot be raced because it is asked after opening.
 */
export function isReally(fd: number, path: string): boolean {
  return !HAS_PROC || readlinkSync(`/proc/self/fd/${fd}`) === path
}

/**
 * An open directory of the volume, reached without following a link. On Linux its entries are addressed
 * through the open handle, so a folder swapped for a link afterwards changes nothing.
 */
export class Directory {
  readonly #fd: number
  readonly #path: string

  private constructor(fd: number, path: string) {
    this.#fd = fd
    this.#path = path
  }

  /** @throws a system error when `path` is not a directory, or only through a link (`ELOOP`, `ENOTDIR`). */
  static open(path: string): Directory {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if (isReally(fd, path)) return new Directory(fd, path)
    closeSync(fd)
    throw Object.assign(new Error('A folder of the volume is a symbolic link'), { code: 'ELOOP' })
  }

  /** A path that leads to the entry `name` of this very directory. */
  entry(name: string): string {
    return HAS_PROC ? `/proc/self/fd/${this.#fd}/${name}` : join(this.#path, name)
  }

  /** Makes additions and removals of entries survive a power cut. */
  async sync(): Promise<void> {
    await fsyncAsync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** Opens the directory at `path`, runs `use` and closes it. */
export async function withDirectory<Result>(
  path: string,
  use: (directory: Directory) => Promise<Result>,
): Promise<Result> {
  const directory = Directory.open(path)
  try {
    return await use(directory)
  } finally {
    directory.close()
  }
}
