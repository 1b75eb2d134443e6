import type { TreeContext } from '../../access/context.ts'
import { segmentsOf } from '../../platform/names.ts'
import type { FileRow, FolderRow } from '../../store/rows.ts'

/** Keys of a bucket to list. */
export interface Listing {
  prefix: string
  /** Key or prefix after which the list begins; `undefined` for its start. */
  after: string | undefined
  /** Keys with this after the prefix are one entry; empty for none. */
  delimiter: string
}

/** Entry of a list: an object, an empty folder as `key/`, or a prefix that several keys have. */
export type Listed = { key: string; file: FileRow } | { key: string; folder: FolderRow } | { prefix: string }

export const nameOf = (listed: Listed): string => ('prefix' in listed ? listed.prefix : listed.key)

/** Rows that are read first, and at most: most lists are of few, or of many. */
const FIRST_ROWS = 64
const MAX_ROWS = 1000

/** Compares texts by their bytes in UTF-8. Only surrogates are in another order in UTF-16. */
export function compareBytes(one: string, other: string): number {
  if (/[\ud800-\uffff]/.test(one) || /[\ud800-\uffff]/.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : one > other ? 1 : 0
}

/**
 * Yields the keys of a bucket in the order of their bytes. Folders are read in pages as the list goes on, and those that
 * are one prefix are not opened.
 */
export async function* walkBucket(
  deps: TreeContext,
  bucket: string,
  listing: Listing,
): AsyncGenerator<Listed> {
  const isFlat = listing.delimiter === '/'
  const found = walkRoots(deps, bucket, listing)
  if (isFlat || listing.delimiter === '') {
    yield* found
    return
  }
  yield* rolledUp(deps, bucket, listing)
}

/** Makes one entry of all keys that have the delimiter after the prefix, and reads on behind them. */
async function* rolledUp(deps: TreeContext, bucket: string, listing: Listing): AsyncGenerator<Listed> {
  const { prefix, delimiter } = listing
  for (let after = listing.after; ; ) {
    let next: string | undefined
    for await (const listed of walkRoots(deps, bucket, { ...listing, after })) {
      const name = nameOf(listed)
      const at = name.indexOf(delimiter, prefix.length)
      if (at === -1) {
        yield listed
        continue
      }
      const common = name.slice(0, at + delimiter.length)
      // A list that goes on after a prefix has had all its keys.
      if (common !== listing.after) yield { prefix: common }
      // No key that begins so is greater.
      next = `${common}\u{10ffff}`
      break
    }
    if (next === undefined) return
    after = next
  }
}

/** Walks the bucket, or for a limited caller what it reaches of it. */
async function* walkRoots({ store }: TreeContext, bucket: string, listing: Listing): AsyncGenerator<Listed> {
  const walk = new Walk(store, listing)
  if (store.reach.isEverything) {
    const id = await store.folders.idAt([bucket])
    if (id !== undefined) yield* walk.folder(id, '')
    return
  }
  const entries = (await store.entries()).filter(({ key }) => segmentsOf(key)[0] === bucket)
  const places = entries.map(({ folderId, key }) => ({ folderId, base: `${key}/`.slice(bucket.length + 1) }))
  let last: string | undefined
  for (const { folderId, base } of places.sort((a, b) => compareBytes(a.base, b.base))) {
    if (base === '') {
      yield* walk.folder(folderId, '')
      continue
    }
    const common = walk.commonOf(base)
    if (common === undefined) yield* walk.folder(folderId, base)
    else if (common !== last && walk.isAfter(common)) yield { prefix: common }
    last = common ?? last
  }
}

class Walk {
  readonly #store: TreeContext['store']
  readonly #listing: Listing

  constructor(store: TreeContext['store'], listing: Listing) {
    this.#store = store
    this.#listing = listing
  }

  /** Returns the prefix as which a folder is listed; `undefined` for one whose keys are listed. */
  commonOf(base: string): string | undefined {
    const { prefix, delimiter } = this.#listing
    const end = delimiter === '/' && base.startsWith(prefix) ? base.indexOf('/', prefix.length) : -1
    return end === -1 ? undefined : base.slice(0, end + 1)
  }

  /** Returns true for a key or a prefix after the one at which the list begins. */
  isAfter(key: string): boolean {
    const { after } = this.#listing
    return after === undefined || compareBytes(key, after) > 0
  }

  /**
   * Yields the keys in a folder.
   *
   * @param base Key of the folder in the bucket, with a slash at its end; empty for the bucket itself.
   */
  async *folder(id: string, base: string): AsyncGenerator<Listed> {
    const { prefix, after } = this.#listing
    if (!base.startsWith(prefix) && !prefix.startsWith(base)) return
    const rest = prefix.slice(base.length)
    const slash = rest.indexOf('/')
    if (slash !== -1) {
      const child = await this.#store.folders.byName(id, rest.slice(0, slash))
      if (child) yield* this.#child(child, base)
      return
    }
    const isInside = after?.startsWith(base)
    // All of the folder is before the start.
    if (after !== undefined && !isInside && compareBytes(base, after) < 0) return
    const from = isInside ? after?.slice(base.length) : undefined
    const start = from !== undefined && compareBytes(from, rest) >= 0 ? from : undefined
    let isEmpty = true
    for await (const row of merged(
      filesOf(this.#store, id, rest, start),
      foldersOf(this.#store, id, rest, start),
    )) {
      isEmpty = false
      if ('folderId' in row) yield { key: base + row.name, file: row }
      else yield* this.#child(row, base)
    }
    if (!isEmpty || base === '' || rest !== '' || from !== undefined) return
    const folder = await this.#store.folders.byId(id)
    if (folder) yield { key: base, folder }
  }

  async *#child(row: FolderRow, base: string): AsyncGenerator<Listed> {
    const { after } = this.#listing
    const key = `${base}${row.name}/`
    const common = this.commonOf(key)
    if (common === undefined) yield* this.folder(row.id, key)
    else if (this.isAfter(common)) yield { prefix: common }
    else if (after?.startsWith(common) && after !== common && (await this.#hasMore(row.id, key)))
      yield { prefix: common }
  }

  /** Returns true when a folder has a key after the start, which is inside of it. */
  async #hasMore(id: string, base: string): Promise<boolean> {
    for await (const _ of new Walk(this.#store, { ...this.#listing, delimiter: '' }).folder(id, base))
      return true
    return false
  }
}

/** Yields the files of a folder by name whose names begin with `prefix`, after a name. */
async function* filesOf(
  { files }: TreeContext['store'],
  folderId: string,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<FileRow> {
  if (after === undefined && prefix !== '') {
    const exact = await files.byName(folderId, prefix)
    if (exact) yield exact
  }
  yield* paged((name, limit) => files.inFolderAfter(folderId, name, limit), prefix, after ?? prefix)
}

/** Yields rows by name in pages, until a name does not begin with `prefix`. */
async function* paged<Row extends { name: string }>(
  read: (name: string, limit: number) => PromiseLike<Row[]>,
  prefix: string,
  after: string,
): AsyncGenerator<Row> {
  for (let limit = FIRST_ROWS, name = after; ; limit = MAX_ROWS) {
    const rows = await read(name, limit)
    for (const row of rows) {
      if (!row.name.startsWith(prefix)) return
      yield row
    }
    if (rows.length < limit) return
    name = rows.at(-1)?.name ?? name
  }
}

/**
 * Yields the folders in a folder, in the order of their names with a slash: `a` is behind `a-b`. They are read by name, so
 * one waits while those follow that begin with its name and a character before the slash.
 */
async function* foldersOf(
  { folders }: TreeContext['store'],
  parentId: string,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<FolderRow> {
  const start = after === undefined ? prefix : after.split('/', 1).join()
  const waiting: FolderRow[] = []
  for (const name of namesBefore(start)) {
    if (!name.startsWith(prefix)) continue
    const row = await folders.byName(parentId, name)
    if (row) waiting.push(row)
  }
  for await (const row of paged(
    (name, limit) => folders.inFolderAfter(parentId, name, limit),
    prefix,
    start,
  )) {
    for (
      let last = waiting.at(-1);
      last && compareBytes(`${last.name}/`, `${row.name}/`) < 0;
      last = waiting.at(-1)
    ) {
      waiting.pop()
      yield last
    }
    waiting.push(row)
  }
  yield* waiting.reverse()
}

/** Returns a name, and those before it whose place with a slash is behind it, shortest first. */
function* namesBefore(name: string): Generator<string> {
  for (let length = 1; length < name.length; length++)
    if (name.charAt(length) < '/') yield name.slice(0, length)
  if (name !== '') yield name
}

/** Merges files and folders in the order of their keys. */
async function* merged(
  files: AsyncGenerator<FileRow>,
  folders: AsyncGenerator<FolderRow>,
): AsyncGenerator<FileRow | FolderRow> {
  let [file, folder] = [await files.next(), await folders.next()]
  while (!file.done || !folder.done) {
    if (!file.done && (folder.done || compareBytes(file.value.name, `${folder.value.name}/`) < 0)) {
      yield file.value
      file = await files.next()
    } else if (!folder.done) {
      yield folder.value
      folder = await folders.next()
    }
  }
}
