import * as T from 'typebox'
import { EXAMPLE_ID, FILE } from '../api/openapi/samples.ts'
import { envelope, named, queryParameters } from '../api/schema.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { joinKey, parseExactKey, parseFolderKey } from '../platform/names.ts'
import type { FileRow, Work } from '../store/rows.ts'
import type { Store, TreeCore } from '../store/store.ts'
import { type Destination, findKey, type Located } from '../store/tree.ts'
import { RecordTime, recordTime } from './times.ts'

export const VisibilitySchema = T.Union([T.Literal('public'), T.Literal('private')], {
  description: 'Public: readable by anyone with the URL.',
  examples: ['public'],
})

/** Columns of a file that its view leaves out. */
type Hidden = 'crc32' | 'sha256' | 'isUtf8' | 'uploadedBy' | 'blobId' | 'facts'

/** Schema of a file. */
export const FileView = named(
  'File',
  T.Object({
    id: T.String(),
    name: T.String(),
    key: T.String({ description: 'Path from the root; changes with its name and its folders.' }),
    mimeType: T.String(),
    size: T.Integer({ description: 'In bytes.' }),
    folderId: T.String(),
    visibility: VisibilitySchema,
    url: T.String({ description: 'Hosting URL, relative to the base URL.' }),
    createdAt: RecordTime,
    updatedAt: RecordTime,
  } satisfies Record<Exclude<keyof FileRow, Hidden> | 'key' | 'url', T.TSchema>),
  FILE,
)

export type FileView = T.Static<typeof FileView>

export const FileAnswer = envelope(T.Object({ file: FileView }))

/** Maximum files of one request, so that their ids fit into a URL. */
const MAX_IDS = 100

export const FileIdsQuery = queryParameters(
  T.Object({
    ids: T.String({
      pattern: `^[\\w-]{1,64}(,[\\w-]{1,64}){0,${MAX_IDS - 1}}$`,
      description: `up to ${MAX_IDS} ids of files, separated by commas`,
      examples: [EXAMPLE_ID],
    }),
  }),
)

/** Fields of a destination: the folder with this id, or at this key, created when missing. */
export const DestinationFields = {
  folderId: T.Optional(T.String({ description: 'Id of an existing folder.' })),
  folder: T.Optional(T.String({ description: 'Key of a folder, created if missing.' })),
}

/** Returns a file as the API shows it. */
export function fileView(file: FileRow, key: string): FileView {
  return {
    id: file.id,
    name: file.name,
    key,
    mimeType: file.mimeType,
    size: file.size,
    folderId: file.folderId,
    visibility: file.visibility,
    url: hostingUrl(key),
    createdAt: recordTime(file.createdAt),
    updatedAt: recordTime(file.updatedAt),
  }
}

/** Returns the hosting URL of a key, relative to the base URL: each segment percent-encoded, with slashes. */
export const hostingUrl = (key: string) => `api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`

export const fileNotFound = () => new Refusal('file-not-found')

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

export function* keyOfFile({ store }: Pick<TreeCore, 'store'>, file: FileRow): Work<string> {
  const key = yield* findKey(store, file)
  if (key === undefined) throw new Error('A file is in a folder that does not exist')
  return key
}

/** Returns a file as the API shows it: part of a body. */
export function* viewOf(deps: Pick<TreeCore, 'store'>, file: FileRow): Work<FileView> {
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
 * @throws {Refusal} `invalid` when neither is given, `not-found`.
 */
function* locate(deps: Pick<TreeCore, 'store'>, { id, key }: Named): Work<Located<FileRow>> {
  if (id === undefined && key === undefined) throw refuseInvalid('"id" or "key" is required')
  const row =
    id === undefined ? yield* findFileByKey(deps, tidyKey(key ?? '')) : yield* deps.store.files.byId(id)
  const present = row && (yield* findKey(deps.store, row))
  if (!row || present === undefined) throw fileNotFound()
  return { row, key: present }
}

/** Finds a file as `locateFile` does, within a read or a transaction. */
export function* requireFile(deps: Pick<TreeCore, 'store'>, which: Named): Work<FileRow> {
  return (yield* locate(deps, which)).row
}

/**
 * Finds the file that a caller names by id or key, and its key.
 *
 * @throws {Refusal} `invalid` when neither is given, `not-found`.
 */
export const locateFile = (deps: Pick<TreeCore, 'store'>, which: Named): Promise<Located<FileRow>> =>
  deps.store.read(() => locate(deps, which))

const tidyKey = (key: string) =>
  key
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')

/** Returns the destination that a caller names. @throws {Refusal} `invalid` when it names none. */
export function readDestination({ folderId, folder }: { folderId?: string; folder?: string }): Destination {
  if (folderId !== undefined) return { folderId }
  if (folder === undefined) throw refuseInvalid('"folderId" or "folder" is required')
  return { folder: parseFolderKey(folder) }
}

/**
 * Returns the files as the API shows them, without those of a folder being deleted: part of a body.
 *
 * @param keys Keys of folders that are known already, `undefined` for a folder that has none; it is completed.
 */
export function* viewRows(
  { folders }: { folders: Pick<Store['folders'], 'keyOf'> },
  rows: readonly FileRow[],
  keys = new Map<string, string | undefined>(),
): Work<FileView[]> {
  const views: FileView[] = []
  for (const row of rows) {
    const { folderId, name } = row
    if (!keys.has(folderId)) keys.set(folderId, yield* folders.keyOf(folderId))
    const key = keys.get(folderId)
    if (key !== undefined) views.push(fileView(row, joinKey(key, name)))
  }
  return views
}
