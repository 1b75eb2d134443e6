import { joinKey } from '../../src/platform/names.ts'
import type { FileState, State, Trashed } from './state.ts'

interface FolderRow {
  id: string
  parentId: string | null
  name: string
}

interface FileRow extends Required<Omit<FileState, 'version'>> {
  folderId: string
  name: string
}

/** Rows that make up a state. */
export interface StateRows {
  folders: FolderRow[]
  files: FileRow[]
  facts: { fact: string }[]
  versions: { id: string; fileId: string; sha256: string }[]
  trash: { id: string; kind: 'file' | 'folder'; key: string; parentId: string }[]
  trashedFolders: (FolderRow & { trashId: string })[]
  trashedFiles: (FileRow & { trashId: string })[]
}

const FILE = 'id, folder_id AS "folderId", name, sha256, visibility, created_at AS "createdAt"'

/** Queries of these rows, in the SQL that both engines understand. */
export const STATE_QUERIES: Record<keyof StateRows, string> = {
  folders: 'SELECT id, parent_id AS "parentId", name FROM folders',
  files: `SELECT ${FILE} FROM files`,
  facts: `SELECT 'user ' || email AS fact FROM users UNION ALL SELECT 'key ' || name FROM api_keys UNION ALL
    SELECT 'setting ' || value FROM settings WHERE name = 'hostingCacheSeconds'`,
  versions: 'SELECT id, file_id AS "fileId", sha256 FROM versions ORDER BY replaced_at, id',
  trash: 'SELECT id, kind, key, parent_id AS "parentId" FROM trash WHERE purging = 0',
  trashedFolders: 'SELECT id, parent_id AS "parentId", name, trash_id AS "trashId" FROM trashed_folders',
  trashedFiles: `SELECT ${FILE}, trash_id AS "trashId" FROM trashed_files`,
}

/** Builds the state that the rows describe. */
export function stateOfRows(rows: StateRows): State {
  const keys = keysOf(rows.folders)
  const versions = new Map(rows.versions.map(({ fileId, ...version }) => [fileId, version]))
  const files = rows.files
    .filter(({ folderId }) => keys.has(folderId))
    .map((row): [string, FileState] => {
      const version = versions.get(row.id)
      return [
        joinKey(keys.get(row.folderId) ?? '', row.name),
        { ...fileOf(row), ...(version && { version }) },
      ]
    })
  return {
    files: new Map(files),
    folders: new Map([...keys].filter(([, key]) => key !== '').map(([id, key]) => [key, id])),
    facts: new Set(rows.facts.map(({ fact }) => fact)),
    trash: new Map(rows.trash.map((item) => [item.id, trashedOf(item, rows)])),
  }
}

// PostgreSQL returns times as text.
const fileOf = ({ sha256, visibility, id, createdAt }: FileRow): FileState => ({
  ...{ sha256, visibility, id },
  createdAt: Number(createdAt),
})

/** Returns an item of the trash with the files and folders below it. */
function trashedOf({ id, kind, key, parentId }: StateRows['trash'][number], rows: StateRows): Trashed {
  const paths = pathsInItem(id, rows.trashedFolders)
  const files = rows.trashedFiles
    .filter(({ trashId }) => trashId === id)
    .map((row): [string, FileState] => [
      kind === 'file' ? key : `${key}${paths.get(row.folderId)}/${row.name}`,
      fileOf(row),
    ])
  const folders = [...paths].map(([folder, path]): [string, string] => [`${key}${path}`, folder])
  return { kind, key, parentId, files: new Map(files), folders: new Map(folders) }
}

/** Returns the paths of the folders in an item, relative to the item, by their ids. */
function pathsInItem(trashId: string, all: StateRows['trashedFolders']): Map<string, string> {
  const folders = all.filter((folder) => folder.trashId === trashId)
  const paths = new Map<string, string>()
  const add = (id: string, path: string) => {
    paths.set(id, path)
    for (const child of folders)
      if (child.parentId === id && child.id !== id) add(child.id, `${path}/${child.name}`)
  }
  if (folders.some(({ id }) => id === trashId)) add(trashId, '')
  return paths
}

/** Returns the keys of folders by their ids. A folder under deletion is its own parent and has no key. */
function keysOf(rows: readonly FolderRow[]): Map<string, string> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const keyOf = ({ id, parentId, name }: FolderRow): string | undefined => {
    if (parentId === null) return ''
    const parent = parentId === id ? undefined : byId.get(parentId)
    const key = parent && keyOf(parent)
    return key === undefined ? undefined : joinKey(key, name)
  }
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const key = keyOf(row)
      return key === undefined ? [] : [[row.id, key]]
    }),
  )
}
