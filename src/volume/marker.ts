import { statSync } from 'node:fs'
import { join } from 'node:path'
import { MARKER, readMarker, type VolumePaths } from './layout.ts'

/** Reads the marker of the volume before each change: the file is read again only when `stat` shows another. */
export class Marker {
  readonly #paths: VolumePaths
  #seen = ''
  #id: string | undefined

  constructor(paths: VolumePaths) {
    this.#paths = paths
  }

  /** Returns the id in the marker; `undefined` when there is none. */
  read(): string | undefined {
    const stat = statSync(join(this.#paths.uploads, MARKER), { throwIfNoEntry: false })
    if (!stat) return undefined
    const seen = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`
    if (seen !== this.#seen) {
      this.#id = readMarker(this.#paths)
      this.#seen = seen
    }
    return this.#id
  }
}
