/** Ids of changed rows that lists show. Their values are read after the commit. */
export interface Noted {
  /** Ids of new files by the id of their folder; null when they are too many. */
  added: Record<string, string[] | null>
  /** Files that were changed, moved or removed. */
  files: string[]
  /** Folders that were added, changed, moved or removed from the tree. */
  folders: string[]
  /** Folders whose key has changed, or below which files have changed. */
  below: string[]
  /** Former folders of files and folders that were moved or removed, by their ids. */
  left: Record<string, string>
  /** Accounts whose profile, role, API keys, shares or quotas were changed. */
  accounts: string[]
  /** Statements that have run, such as `update users`. */
  writes: string[]
  /** True when there were more changes than the limits allow. */
  isIncomplete: boolean
}

/** Maximum ids of new files of one folder. */
const MAX_ADDED = 300
/** Maximum ids of each other kind. */
const MAX_IDS = 300

/** Change of rows that lists or searches show. */
export type Note =
  | { of: 'new files'; rows: readonly { id: string; folderId: string }[] }
  /** Files with other columns, also with another name or folder. */
  | { of: 'changed files'; ids: readonly string[] }
  /** File that was removed from a folder, or moved out of it. */
  | { of: 'left file'; id: string; from: string }
  | { of: 'new folders'; rows: readonly { id: string }[] }
  /** Folder with another name or parent, and so another key, as everything below it. */
  | { of: 'moved folder'; id: string; hasOtherParent: boolean; from?: string | undefined }
  /** Folder that left the tree with everything below it. */
  | { of: 'detached folder'; id: string; from: string | undefined }
  /** Folder below which files have another visibility. */
  | { of: 'files below'; id: string }
  /** Account whose profile, role, API keys, shares or quota were changed. */
  | { of: 'account'; id: string }
  /** Statement that has run, such as `update users`. */
  | { of: 'write'; statement: string }

/** Passes on the notes of an engine: queries make them when they have run, before the commit. */
export class Notes {
  readonly #readers = new Set<(note: Note) => void>()

  add(reader: (note: Note) => void): void {
    this.#readers.add(reader)
  }

  remove(reader: (note: Note) => void): void {
    this.#readers.delete(reader)
  }

  note(note: Note): void {
    for (const read of this.#readers) read(note)
  }
}

/** Collects the ids of changed rows until they are taken, in bounded memory. */
export class ChangeNotes {
  /** Called with the first note after `take`. */
  onFirst: () => void = () => {}
  #added = new Map<string, Set<string> | null>()
  #files = new Set<string>()
  #folders = new Set<string>()
  #below = new Set<string>()
  readonly #left = new Map<string, string>()
  #accounts = new Set<string>()
  #writes = new Set<string>()
  #isIncomplete = false
  #isEmpty = true

  /** Collects a note. */
  readonly note = (note: Note): void => {
    switch (note.of) {
      case 'new files':
        for (const { id, folderId } of note.rows) this.#addTo(folderId, id)
        break
      case 'changed files':
        for (const id of note.ids) this.#note(this.#files, id)
        break
      case 'left file':
        this.#note(this.#files, note.id)
        this.#leave(note.id, note.from)
        break
      case 'new folders':
        for (const { id } of note.rows) this.#note(this.#folders, id)
        break
      case 'moved folder':
        this.#note(this.#folders, note.id)
        this.#note(this.#below, note.id)
        this.#leave(note.id, note.from)
        break
      case 'detached folder':
        this.#note(this.#folders, note.id)
        this.#leave(note.id, note.from)
        break
      case 'files below':
        this.#note(this.#below, note.id)
        break
      case 'account':
        this.#note(this.#accounts, note.id)
        break
      case 'write':
        this.#note(this.#writes, note.statement)
    }
  }

  /** True when there are no notes since the last `take`. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Adds notes of another collector. */
  add(noted: Noted): void {
    for (const [folderId, ids] of Object.entries(noted.added)) {
      if (ids) for (const id of ids) this.#addTo(folderId, id)
      else this.#noteMany(folderId)
    }
    for (const id of noted.files) this.#note(this.#files, id)
    for (const id of noted.folders) this.#note(this.#folders, id)
    for (const id of noted.below) this.#note(this.#below, id)
    for (const [id, from] of Object.entries(noted.left)) this.#leave(id, from)
    for (const id of noted.accounts) this.#note(this.#accounts, id)
    for (const statement of noted.writes) this.#note(this.#writes, statement)
    if (noted.isIncomplete) this.noteAll()
  }

  /** Notes that anything may have changed. */
  noteAll(): void {
    this.#isIncomplete = true
    this.#noteFirst()
  }

  /** Returns the changes since the last call; `undefined` without any. */
  take(): Noted | undefined {
    if (this.#isEmpty) return undefined
    const noted = {
      added: Object.fromEntries(this.#added.entries().map(([folderId, ids]) => [folderId, ids && [...ids]])),
      files: [...this.#files],
      folders: [...this.#folders],
      below: [...this.#below],
      left: Object.fromEntries(this.#left),
      accounts: [...this.#accounts],
      writes: [...this.#writes],
      isIncomplete: this.#isIncomplete,
    }
    this.#added = new Map()
    for (const ids of [this.#files, this.#folders, this.#below, this.#left, this.#accounts, this.#writes])
      ids.clear()
    this.#isIncomplete = false
    this.#isEmpty = true
    return noted
  }

  #note(ids: Set<string>, id: string): void {
    if (ids.size < MAX_IDS || ids.has(id)) ids.add(id)
    else this.#isIncomplete = true
    this.#noteFirst()
  }

  /** Collects the first folder that something left. The ids of those with none are incomplete already. */
  #leave(id: string, from: string | undefined): void {
    if (from === undefined || from === id || this.#left.has(id)) return
    if (this.#files.has(id) || this.#folders.has(id)) this.#left.set(id, from)
  }

  #addTo(folderId: string, id: string): void {
    const ids = this.#added.get(folderId)
    if (ids === null) return
    if (ids) {
      if (ids.size < MAX_ADDED) ids.add(id)
      else this.#added.set(folderId, null)
    } else if (this.#added.size < MAX_IDS) this.#added.set(folderId, new Set([id]))
    else this.#isIncomplete = true
    this.#noteFirst()
  }

  #noteMany(folderId: string): void {
    if (this.#added.size < MAX_IDS) this.#added.set(folderId, null)
    else this.#isIncomplete = true
    this.#noteFirst()
  }

  #noteFirst(): void {
    if (!this.#isEmpty) return
    this.#isEmpty = false
    this.onFirst()
  }
}
