import type { Note } from '../engine/notes.ts'
import type { Reach } from '../engine/reach.ts'
import type { FolderTree } from '../tree/folders.ts'
import { runNow } from './engine.ts'

/** Maximum changes that are remembered, and callers. */
const MAX_CHANGES = 1000
const MAX_CALLERS = 1000

/**
 * Versions of the files within a reach. New files elsewhere, the most frequent change, leave the lists of a limited caller
 * as they are.
 */
export class FileVersions {
  readonly #tree: Pick<FolderTree, 'keyWithin'>
  /** Folders of new files by change; `undefined` for every other change. */
  #changes: (ReadonlySet<string> | undefined)[] = []
  /** Number of changes before those. */
  #forgotten = 0
  /** Versions by the fingerprints of reaches, and the number of changes that they consider. */
  readonly #known = new Map<string, { seen: number; version: number }>()

  constructor(tree: Pick<FolderTree, 'keyWithin'>) {
    this.#tree = tree
  }

  /** Records the change of a note. Rows of other tables and empty folders change no list of files. */
  readonly note = (note: Note): void => {
    if (note.of === 'write' || note.of === 'account' || note.of === 'new folders') return
    this.changed(note.of === 'new files' ? new Set(note.rows.map(({ folderId }) => folderId)) : undefined)
  }

  /** Records a change: new files in some folders, or anything else. */
  changed(folderIds?: ReadonlySet<string>): void {
    if (this.#changes.length >= MAX_CHANGES) {
      this.#forgotten += this.#changes.length
      this.#changes = []
    }
    this.#changes.push(folderIds)
  }

  /** Returns the number of the last change that may be within a reach. */
  of(reach: Reach): number {
    const seen = this.#forgotten + this.#changes.length
    const known = this.#known.get(reach.fingerprint)
    if (known?.seen === seen) return known.version
    const version = known && known.seen >= this.#forgotten ? this.#after(known, reach) : seen
    if (this.#known.size >= MAX_CALLERS) this.#known.clear()
    this.#known.set(reach.fingerprint, { seen, version })
    return version
  }

  #after({ seen, version }: { seen: number; version: number }, reach: Reach): number {
    const part = reach.part()
    const isInside = (id: string) => runNow(this.#tree.keyWithin(id, part)) !== undefined
    const unseen = this.#changes.slice(seen - this.#forgotten)
    const last = unseen.findLastIndex((folderIds) => !folderIds || [...folderIds].some(isInside))
    return last < 0 ? version : seen + last + 1
  }
}
