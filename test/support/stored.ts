import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from './kind.ts'
import { StoredObjects } from './stored-objects.ts'

/** Bytes of a file, of a file in the trash by its key below the trash, or of a version. */
export type Place = { key: string } | { trashed: string } | { versionId: string }

/** Bytes that a server has stored, for tests to look at and to damage beside it. */
export interface Stored {
  /** Returns the keys of all files and folders, and names for bytes that nothing leads to. */
  keys: () => Promise<string[]>
  /** Returns the keys of files in the trash, from the deleted file or folder on. */
  trashed: () => Promise<string[]>
  /** Returns the ids of versions, and names for bytes in their place that nothing leads to. */
  versions: () => Promise<string[]>
  read: (place: Place) => Promise<Buffer>
  /** Returns the time that validators are built from, in milliseconds since 1970. */
  mtimeMs: (file: { key: string }) => number
  /** Returns the path of the file, or of its local copy. */
  localPath: (file: { key: string }) => string
  /** Gives a file that was never read other bytes, of any length, modified at `mtimeMs`. */
  plant: (file: { key: string }, content: string | Uint8Array, mtimeMs?: number) => Promise<void>
  /** Changes the modification time of a file that was never read. */
  setModified: (file: { key: string }, mtimeMs: number) => Promise<void>
  /** Changes bytes so that neither length nor time shows it. */
  damage: (place: Place, content: string | Uint8Array) => Promise<void>
  /** Removes bytes. */
  lose: (place: Place) => Promise<void>
}

/** Opens the bytes of a server, of either kind. */
export const storedIn = ({ dataPath }: { dataPath: string }): Stored => {
  const place = placeOf(dataPath)
  return place ? new StoredObjects(dataPath, place) : new StoredFiles(dataPath)
}

/** Files in a data folder. */
class StoredFiles implements Stored {
  readonly #dataPath: string

  constructor(dataPath: string) {
    this.#dataPath = dataPath
  }

  readonly keys = async () => this.#below('uploads')
  readonly versions = async () => this.#below('versions')

  async trashed(): Promise<string[]> {
    const entries = readdirSync(join(this.#dataPath, 'trash'))
    return entries
      .flatMap((entry) => {
        const files = this.#below(`trash/${entry}`, true)
        return files.length > 0 ? files : [`nothing in ${entry}`]
      })
      .sort()
  }

  async read(place: Place): Promise<Buffer> {
    return readFileSync(this.#pathOf(place))
  }

  mtimeMs(file: { key: string }): number {
    return statSync(this.#pathOf(file)).mtimeMs
  }

  localPath(file: { key: string }): string {
    return this.#pathOf(file)
  }

  async plant(file: { key: string }, content: string | Uint8Array, mtimeMs?: number): Promise<void> {
    writeFileSync(this.#pathOf(file), content)
    if (mtimeMs !== undefined) await this.setModified(file, mtimeMs)
  }

  async setModified(file: { key: string }, mtimeMs: number): Promise<void> {
    utimesSync(this.#pathOf(file), mtimeMs / 1000, mtimeMs / 1000)
  }

  async damage(place: Place, content: string | Uint8Array): Promise<void> {
    const path = this.#pathOf(place)
    const { atime, mtime } = statSync(path)
    writeFileSync(path, content)
    utimesSync(path, atime, mtime)
  }

  async lose(place: Place): Promise<void> {
    rmSync(this.#pathOf(place))
  }

  #below(folder: string, isFilesOnly = false): string[] {
    const root = join(this.#dataPath, folder)
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name !== '.holdfast-volume' && (entry.isFile() || !isFilesOnly))
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .sort()
  }

  #pathOf(place: Place): string {
    if ('key' in place) return join(this.#dataPath, 'uploads', place.key)
    if ('versionId' in place) return join(this.#dataPath, 'versions', place.versionId)
    const entries = readdirSync(join(this.#dataPath, 'trash'))
    const paths = entries.map((entry) => join(this.#dataPath, 'trash', entry, place.trashed))
    const path = paths.find((path) => statSync(path, { throwIfNoEntry: false }))
    if (path === undefined) throw new Error(`Nothing in the trash is at ${place.trashed}`)
    return path
  }
}
