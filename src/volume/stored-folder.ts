import { constants, lstatSync } from 'node:fs'
import { errorCode } from '../platform/errors.ts'
import { Directory, NoDirectory } from './directory.ts'
import { StoredFile } from './stored-file.ts'

/** Length in bytes, and modification time in milliseconds since 1970. */
export type FileState = Pick<StoredFile, 'size' | 'mtimeMs'>

/** Error codes for a path that does not lead to the folder or to one of its entries. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

/**
 * Folder of the volume with many files to read: the way to it is checked once. It stays the same folder when
 * it is renamed. `close` must end it.
 */
export class StoredFolder {
  readonly #directory: Directory
  readonly #path: string

  private constructor(directory: Directory, path: string) {
    this.#directory = directory
    this.#path = path
  }

  /** Opens the folder at `path`; `undefined` when there is none. */
  static open(path: string): StoredFolder | undefined {
    const directory = unlessMissing(() => Directory.open(path))
    return directory && new StoredFolder(directory, path)
  }

  /** Opens the regular file under `name`; `undefined` when there is none. */
  openFile(name: string): StoredFile | undefined {
    return StoredFile.openEntry(this.#directory.entry(name))
  }

  /**
   * Returns length and time of the regular file under `name`, as far as they show without opening it.
   *
   * A path is twice as fast as the handle. Once the folder was renamed it leads nowhere, and a folder swapped for a
   * link could only falsify these, not bytes.
   */
  stateOf(name: string): FileState | undefined {
    return stateAt(`${this.#path}/${name}`)
  }

  close(): void {
    this.#directory.close()
  }
}

function unlessMissing<Found>(look: () => Found): Found | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof NoDirectory || NOT_THERE.has(errorCode(error) ?? '')) return undefined
    throw error
  }
}

const uid = process.getuid?.()

/** Returns the state of our own regular file: any other may turn out to be unreadable. */
function stateAt(path: string): FileState | undefined {
  try {
    const stat = lstatSync(path)
    return stat.isFile() && stat.uid === uid && (stat.mode & constants.S_IRUSR) !== 0 ? stat : undefined
  } catch {
    return undefined
  }
}
