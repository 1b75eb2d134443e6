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

/** Holder of the notes that queries add to, before the commit. */
export interface Watch {
  /** Missing while changes are not watched. */
  notes: ChangeNotes | undefined
}

/** Collects the ids of changed rows until they are taken, in bounded memory. */
export class ChangeNotes {
  /** Called with the first note after `take`. */
  onFirst: () => void = () => {}
  #added = new Map<string, Set<string> | null>()
  #files = new Set<string>()
  #folders = new Set<string>()
  #below = new Set<string>()
  #accounts = new Set<string>()
  #writes = new Set<string>()
  #isIncomplete = false
  #isEmpty = true

  /** Notes new files. */
  noteAdded(rows: readonly { id: string; folderId: string }[]): void {
    for (const { id, folderId } of rows) this.#addTo(folderId, id)
  }

  /** Notes files that were changed, moved or removed. */
  noteFiles(ids: readonly string[]): void {
    for (const id of ids) this.#note(this.#files, id)
  }

  /** Notes folders that were added to the tree or removed from it. */
  noteFolders(rows: readonly { id: string }[]): void {
    for (const { id } of rows) this.#note(this.#folders, id)
  }

  /** Notes a folder whose key has changed, and with it the keys of everything below. */
  noteMoved(id: string): void {
    this.#note(this.#folders, id)
    this.noteBelow(id)
  }

  /** Notes a folder below which files have changed. */
  noteBelow(id: string): void {
    this.#note(this.#below, id)
  }

  /** Notes an account whose profile, role, API keys, shares or quota were changed. */
  noteAccount(id: string): void {
    this.#note(this.#accounts, id)
  }

  /** Notes a statement that has run, such as `update users`. */
  noteWrite(statement: string): void {
    this.#note(this.#writes, statement)
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
      accounts: [...this.#accounts],
      writes: [...this.#writes],
      isIncomplete: this.#isIncomplete,
    }
    this.#added = new Map()
    for (const ids of [this.#files, this.#folders, this.#below, this.#accounts, this.#writes]) ids.clear()
    this.#isIncomplete = false
    this.#isEmpty = true
    return noted
  }

  #note(ids: Set<string>, id: string): void {
    if (ids.size < MAX_IDS || ids.has(id)) ids.add(id)
    else this.#isIncomplete = true
    this.#noteFirst()
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
