import { and, eq, isNull, sql } from 'drizzle-orm'
import { isAtOrBelow } from '../../platform/names.ts'
import type { Engine, Statement } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import type { Part } from '../engine/reach.ts'
import { folders } from '../schema/schema.ts'
import type { FolderRow, FolderTree } from '../tree/folders.ts'
import { runNow, SqliteQuery } from './engine.ts'

/** Maximum number of cached folder keys; beyond it the cache starts empty again. */
const MAX_REMEMBERED = 50_000
/** Maximum characters of all cached keys together. */
const MAX_REMEMBERED_LENGTH = 4_000_000

/** Tree of one connection of SQLite, with the keys of its folders in memory. */
export class FolderCache implements FolderTree {
  readonly #byId: Statement<FolderRow[], FolderRow | undefined>
  readonly #byName: Statement<FolderRow[], FolderRow | undefined>
  readonly #detached: Statement<FolderRow[], FolderRow | undefined>
  readonly #root: Statement<FolderRow[], FolderRow | undefined>
  readonly #keyOfId = new Map<string, string>()
  readonly #idOfKey = new Map<string, string>()
  #rememberedLength = 0
  #rootId: string | undefined
  /** Ids of the folders that left the tree; `undefined` before they are read again. */
  #detachedIds: Set<string> | undefined

  constructor({ db, prepare }: Engine) {
    const select = () => db.select().from(folders)
    const { id, parentId, name } = folders
    this.#byId = prepare(select().where(eq(id, sql.placeholder('id'))))
    this.#byName = prepare(
      select().where(and(eq(parentId, sql.placeholder('parentId')), eq(name, sql.placeholder('name')))),
    )
    this.#detached = prepare(select().where(eq(parentId, id)))
    this.#root = prepare(select().where(isNull(parentId)))
  }

  root(): Query<string> {
    return new SqliteQuery(() => this.#findRoot())
  }

  keyOf(id: string): Query<string | undefined> {
    return new SqliteQuery(() => this.#findKey(id))
  }

  keysOf(ids: readonly string[]): Query<ReadonlyMap<string, string>> {
    return new SqliteQuery(() => {
      const keys = new Map<string, string>()
      for (const id of ids) {
        const key = this.#findKey(id)
        if (key !== undefined) keys.set(id, key)
      }
      return keys
    })
  }

  idAt(segments: readonly string[]): Query<string | undefined> {
    return new SqliteQuery(() => this.#findId(segments))
  }

  keyWithin(id: string, part: Part): Query<string | undefined> {
    return new SqliteQuery(() => {
      const key = this.#findKey(id)
      const isBelow = (id: string) => {
        const top = this.#findKey(id)
        return top !== undefined && key !== undefined && isAtOrBelow(key, top)
      }
      return part.every((tops) => tops.some(isBelow)) ? key : undefined
    })
  }

  isPurging(): Query<boolean> {
    return new SqliteQuery(() => {
      this.#detachedIds ??= new Set(runNow(this.#detached.all()).map(({ id }) => id))
      return this.#detachedIds.size > 0
    })
  }

  forgetKeys(): void {
    this.#keyOfId.clear()
    this.#idOfKey.clear()
    this.#rememberedLength = 0
  }

  noteDetached(id: string): void {
    this.#detachedIds?.add(id)
  }

  noteAttached(id: string): void {
    this.#detachedIds?.delete(id)
  }

  rolledBack(): void {
    this.forgetKeys()
    this.#detachedIds = undefined
  }

  #remember(id: string, key: string): void {
    if (this.#keyOfId.size >= MAX_REMEMBERED || this.#rememberedLength > MAX_REMEMBERED_LENGTH)
      this.forgetKeys()
    this.#rememberedLength += key.length
    this.#keyOfId.set(id, key)
    this.#idOfKey.set(key, id)
  }

  #findRoot(): string {
    this.#rootId ??= runNow(this.#root.get())?.id
    if (this.#rootId === undefined) throw new Error('The catalog has no root folder')
    return this.#rootId
  }

  #findKey(id: string): string | undefined {
    const upwards: FolderRow[] = []
    let key = this.#keyOfId.get(id)
    for (let at = id; key === undefined; key = this.#keyOfId.get(at)) {
      const row = runNow(this.#byId.get({ id: at }))
      if (!row || row.parentId === row.id) return undefined
      if (row.parentId === null) {
        this.#remember(at, '')
        continue
      }
      upwards.push(row)
      at = row.parentId
    }
    // Ancestors are cached too, because the next lookup is often for a sibling.
    for (const { id, name } of upwards.reverse()) {
      key = key === '' ? name : `${key}/${name}`
      this.#remember(id, key)
    }
    return key
  }

  #findId(segments: readonly string[]): string | undefined {
    const key = segments.join('/')
    const remembered = this.#idOfKey.get(key)
    if (remembered !== undefined) return remembered
    const above = this.#idOfKey.get(segments.slice(0, -1).join('/'))
    let id: string | undefined = above ?? this.#findRoot()
    for (const name of above === undefined ? segments : segments.slice(-1)) {
      id = runNow(this.#byName.get({ parentId: id, name }))?.id
      if (id === undefined) return undefined
    }
    this.#remember(id, key)
    return id
  }
}
