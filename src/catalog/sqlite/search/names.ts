import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import { joinKey } from '../../../platform/names.ts'
import type { Engine } from '../../engine/engine.ts'
import { files, folders } from '../../schema/schema.ts'
import type { FolderRow } from '../../tree/folders.ts'
import { type Found, type FoundPage, type NameSearch, wantsFiles, wantsFolders } from '../../tree/search.ts'
import { runNow, sqliteEngine } from '../engine.ts'
import { FolderCache } from '../folder-cache.ts'
import { findNames } from './find-names.ts'
import { type Named, NameStore } from './name-store.ts'
import type { ChangedRows } from './search-thread.ts'
import { compareHits, type Hit } from './top-hits.ts'

/** Maximum hits that are read at a time. */
const MAX_HITS = 5000
/** Rows below folders from which on all names are read again: one by one takes longer. */
const MANY_BELOW = 20_000
/** Hits whose row is gone or has changed, from which on all names are read again. */
const MANY_STALE = 2000

const FILES = `SELECT rowid AS position, folder_id AS folderId, name, mime_type AS mimeType, size, visibility,
  uploaded_by AS uploadedBy, created_at AS createdAt FROM files ORDER BY rowid`
const FOLDERS = `SELECT rowid AS position, parent_id AS folderId, name, created_at AS createdAt
  FROM folders WHERE parent_id IS NOT NULL ORDER BY rowid`

/** Prepares the queries of rows by their positions in their tables, and the other way round. */
function prepareRows({ db, prepare }: Engine) {
  const position = sql<number>`rowid`
  const isAt = sql`rowid = ${sql.placeholder('position')}`
  const id = sql.placeholder('id')
  return {
    fileAt: prepare(db.select().from(files).where(isAt)),
    folderAt: prepare(db.select().from(folders).where(isAt)),
    file: prepare(db.select({ position, row: files }).from(files).where(eq(files.id, id))),
    filesIn: prepare(db.select({ position, row: files }).from(files).where(eq(files.folderId, id))),
    folder: prepare(db.select({ position, row: folders }).from(folders).where(eq(folders.id, id))),
    below: prepare(
      db.select({ id: sql<string>`id` }).from(sql`(
        WITH RECURSIVE below(id) AS (
          VALUES (${id}) UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
        ) SELECT id FROM below) AS ids`),
    ),
  }
}

const tieOfFile = (position: number) => position * 2
const tieOfFolder = (position: number) => position * 2 + 1

/** Names of all files and folders of a catalog in SQLite. Each result is compared with its row before it is returned. */
export class Names {
  readonly #sqlite: Database
  readonly #rows: ReturnType<typeof prepareRows>
  readonly #tree: FolderCache
  #files = new NameStore()
  #folders = new NameStore()
  /** True when rows were left out because their folder was not in the tree. */
  #hasHidden = false

  constructor(sqlite: Database) {
    const engine = sqliteEngine(sqlite)
    this.#sqlite = sqlite
    this.#rows = prepareRows(engine)
    this.#tree = new FolderCache(engine)
    this.#inTransaction(() => this.#load())
  }

  /** Returns one page of the results of a search, after the rows that have changed are read again. */
  find(search: NameSearch, changed: ChangedRows): FoundPage {
    this.#inTransaction(() => {
      if (this.#files.isWorn || this.#folders.isWorn) this.#load()
      else this.#update(changed)
    })
    const page = this.#search(search)
    if (page) return page
    this.#inTransaction(() => this.#load())
    return this.#search(search) ?? { found: [] }
  }

  /** Reads rows that have changed again. */
  update(changed: ChangedRows): void {
    this.#inTransaction(() => this.#update(changed))
  }

  /** Runs `work` at one moment of the catalog. */
  #inTransaction<Value>(work: () => Value): Value {
    this.#tree.forgetKeys()
    return this.#sqlite.transaction(work).deferred()
  }

  /** Reads the names of all rows. */
  #load(): void {
    this.#files = new NameStore()
    this.#folders = new NameStore()
    this.#hasHidden = false
    this.#loadTable(FILES, (position, row) => this.#files.put(tieOfFile(position), row))
    this.#loadTable(FOLDERS, (position, row) => this.#folders.put(tieOfFolder(position), row))
  }

  #loadTable(text: string, put: (position: number, row: Named) => void): void {
    type Row = Named & { position: number }
    let [folderId, isShown] = ['', false]
    for (const row of this.#sqlite.query<Row, []>(text).iterate()) {
      if (row.folderId !== folderId) {
        folderId = row.folderId
        isShown = runNow(this.#tree.keyOf(folderId)) !== undefined
      }
      if (isShown) put(row.position, row)
      else this.#hasHidden = true
    }
  }

  #update({ files, folders, attached, below }: ChangedRows): void {
    for (const id of files) {
      const found = runNow(this.#rows.file.get({ id }))
      if (found) this.#files.put(tieOfFile(found.position), found.row)
    }
    for (const id of folders) this.#putFolder(id)
    this.#updateBelow(this.#hasHidden ? [...attached, ...below] : below)
  }

  #updateBelow(tops: readonly string[]): void {
    let count = 0
    for (const top of new Set(tops)) {
      for (const { id } of runNow(this.#rows.below.all({ id: top }))) {
        this.#putFolder(id)
        const found = runNow(this.#rows.filesIn.all({ id }))
        for (const { position, row } of found) this.#files.put(tieOfFile(position), row)
        count += found.length + 1
        if (count <= MANY_BELOW) continue
        this.#load()
        return
      }
    }
  }

  #putFolder(id: string): void {
    const found = runNow(this.#rows.folder.get({ id }))
    if (found) this.#keepFolder(tieOfFolder(found.position), found.row)
  }

  /** Inserts or updates a folder, and returns true when it was known as it is. The root has no name. */
  #keepFolder(tie: number, row: FolderRow): boolean {
    const { parentId: folderId } = row
    return folderId === null || this.#folders.put(tie, { ...row, folderId })
  }

  /** Returns one page; `undefined` when so many rows have changed that all must be read again. */
  #search(search: NameSearch): FoundPage | undefined {
    const wanted = search.limit + 1
    let stale = 0
    for (let count = wanted; stale <= MANY_STALE; count = Math.min(count * 4, MAX_HITS)) {
      const hits = this.#hits(search, count)
      const page = this.#inTransaction(() => this.#verify(hits, wanted))
      if (page.stale === 0 || (page.found.length === wanted && !page.hasMoved)) {
        const found = page.found.slice(0, search.limit).map(({ item }) => item)
        const last = page.found[search.limit - 1]?.hit
        return page.found.length === wanted && last ? { found, next: last } : { found }
      }
      stale += page.stale
    }
    return undefined
  }

  /** Finds hits in memory alone: a transaction of that length would hold up the checkpoints of the log. */
  #hits(search: NameSearch, count: number): Hit[] {
    const { folderIds, withThem = false } = search
    const within = folderIds && {
      folders: folderIds.flatMap((id) => runNow(this.#rows.below.all({ id })).map((below) => below.id)),
      ties: (withThem ? folderIds : []).flatMap((id) => {
        const found = runNow(this.#rows.folder.get({ id }))
        return found ? [tieOfFolder(found.position)] : []
      }),
    }
    const options = { count, within }
    const hits = [
      ...(wantsFiles(search) ? findNames(this.#files, search, options) : []),
      ...(wantsFolders(search) ? findNames(this.#folders, search, options) : []),
    ]
    return hits.sort(compareHits).slice(0, count)
  }

  /** Reads the rows of hits until there are enough. */
  #verify(hits: readonly Hit[], wanted: number) {
    const found: { item: Found; hit: Hit }[] = []
    let [stale, hasMoved] = [0, false]
    for (const hit of hits) {
      if (found.length === wanted) break
      const item = hit.tie % 2 === 0 ? this.#readFile(hit.tie) : this.#readFolder(hit.tie)
      if (typeof item === 'object') found.push({ item, hit })
      else stale += 1
      // Another name or time may give a row another place among the results.
      if (item === 'changed') hasMoved = true
    }
    return { found, stale, hasMoved }
  }

  #readFile(tie: number): Found | 'gone' | 'changed' {
    const row = runNow(this.#rows.fileAt.get({ position: tie / 2 }))
    const folder = row && runNow(this.#tree.keyOf(row.folderId))
    if (row === undefined || folder === undefined) {
      this.#hasHidden ||= row !== undefined
      this.#files.remove(tie)
      return 'gone'
    }
    const key = joinKey(folder, row.name)
    return this.#files.put(tie, row) ? { kind: 'file', row, key } : 'changed'
  }

  #readFolder(tie: number): Found | 'gone' | 'changed' {
    const row = runNow(this.#rows.folderAt.get({ position: (tie - 1) / 2 }))
    const key = row && runNow(this.#tree.keyOf(row.id))
    if (row === undefined || key === undefined) {
      this.#hasHidden ||= row !== undefined
      this.#folders.remove(tie)
      return 'gone'
    }
    return this.#keepFolder(tie, row) ? { kind: 'folder', row, key } : 'changed'
  }
}
