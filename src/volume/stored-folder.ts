import { errorCode } from '../platform/errors.ts'
import { Directory, NoDirectory } from './directory.ts'
import { StoredFile } from './stored-file.ts'

/** Error codes for a path that does not lead to the folder or to one of its entries. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

/**
 * Folder of the volume with many files to read: the way to it is checked once. It stays the same folder when
 * it is renamed. `close` must end it.
 */
export class StoredFolder {
  readonly #directory: Directory

  private constructor(directory: Directory) {
    this.#directory = directory
  }

  /** Opens the folder at `path`; `undefined` when there is none. */
  static open(path: string): StoredFolder | undefined {
    const directory = unlessMissing(() => Directory.open(path))
    return directory && new StoredFolder(directory)
  }

  /** Opens the regular file under `name`; `undefined` when there is none. */
  openFile(name: string): StoredFile | undefined {
    return StoredFile.openEntry(this.#directory.entry(name))
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
