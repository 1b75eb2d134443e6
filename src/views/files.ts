import type { Context } from '../access/context.ts'
import { signLink } from '../access/signature.ts'
import { type FileView, fileView, hostingUrl } from '../modules/files/model.ts'
import { refuseInvalid, refuseNotFound } from '../platform/errors.ts'
import { parseExactKey } from '../platform/names.ts'
import { iso } from '../platform/time.ts'
import type { FileRow, Work } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { findKey, type Located } from '../store/tree.ts'

export const fileNotFound = () => refuseNotFound('File not found')

interface Tree {
  store: Pick<Store, 'files' | 'folders'>
}

/** Returns the file at exactly this key, or `undefined`. */
export function* findFileByKey(deps: Tree, key: string): Work<FileRow | undefined> {
  const place = yield* placeOf(deps, key)
  return place && (yield* deps.store.files.byName(...place))
}

/** Returns the folder and the name of a key, whether or not there is such a file. */
function* placeOf({ store }: Tree, key: string): Work<[folderId: string, name: string] | undefined> {
  const segments = parseExactKey(key)
  const name = segments?.pop()
  if (segments === undefined || name === undefined) return undefined
  const folderId = yield* store.folders.idAt(segments)
  return folderId === undefined ? undefined : [folderId, name]
}

export function* keyOfFile({ store }: Pick<Context, 'store'>, file: FileRow): Work<string> {
  const key = yield* findKey(store, file)
  if (key === undefined) throw new Error('A file is in a folder that does not exist')
  return key
}

/** Returns a file as the API shows it: part of a body. */
export function* viewOf(deps: Pick<Context, 'store'>, file: FileRow): Work<FileView> {
  return fileView(file, yield* keyOfFile(deps, file))
}

/** Returns a file as the API shows it, at the key that its change gave it. */
export const viewAt = ({ row, key }: Located<FileRow>): FileView => fileView(row, key)

/** Name of a file in a request: its id or its key. */
interface Named {
  id?: string
  key?: string
}

/**
 * Finds the file that a caller names by id or key, and its key at the same moment. The id wins. Outer and doubled
 * slashes of a key are ignored.
 *
 * @throws {Refusal} `invalid` when neither is given, `not_found`.
 */
function* locate(deps: Pick<Context, 'store'>, { id, key }: Named): Work<Located<FileRow>> {
  if (id === undefined && key === undefined) throw refuseInvalid('"id" or "key" is required')
  const row =
    id === undefined ? yield* findFileByKey(deps, tidyKey(key ?? '')) : yield* deps.store.files.byId(id)
  const present = row && (yield* findKey(deps.store, row))
  if (!row || present === undefined) throw fileNotFound()
  return { row, key: present }
}

/** Finds a file as `locateFile` does, within a read or a transaction. */
export function* requireFile(deps: Pick<Context, 'store'>, which: Named): Work<FileRow> {
  return (yield* locate(deps, which)).row
}

/**
 * Finds the file that a caller names by id or key, and its key.
 *
 * @throws {Refusal} `invalid` when neither is given, `not_found`.
 */
export const locateFile = (deps: Pick<Context, 'store'>, which: Named): Promise<Located<FileRow>> =>
  deps.store.read(() => locate(deps, which))

const tidyKey = (key: string) =>
  key
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')

/** Returns the default and the maximum lifetime of a signed link, in seconds. */
export function linkLifetimes({ store: { settings } }: Pick<Context, 'store'>) {
  const { defaultPresignSeconds, maxPresignSeconds } = settings.current()
  return { defaultExpiresIn: defaultPresignSeconds, maxExpiresIn: maxPresignSeconds }
}

/**
 * Signs a link that opens one file at its present key for a limited time.
 *
 * @param expiresIn Seconds; rounded down and clamped to between 1 and the instance's maximum.
 */
export function signFile(deps: Context, { row, key }: Located<FileRow>, expiresIn: number | undefined) {
  const { defaultPresignSeconds, maxPresignSeconds } = deps.store.settings.current()
  const seconds = Math.min(Math.max(Math.floor(expiresIn ?? defaultPresignSeconds), 1), maxPresignSeconds)
  const expires = Math.floor(deps.clock.now() / 1000) + seconds
  const signature = signLink(deps.secrets.link, { fileId: row.id, key, expires: String(expires) })
  return {
    url: `${hostingUrl(key)}?exp=${expires}&sig=${signature}`,
    expiresAt: iso(expires * 1000),
  }
}
