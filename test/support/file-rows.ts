import type { FileRow, FolderRow } from '../../src/store/rows.ts'
import type { FolderView } from './api.ts'
import type { FileView } from './holdfast.ts'

/** Fields of files that tests add without an upload. A new field of files has its value for all tests here. */
const FILE = {
  mimeType: 'text/plain',
  size: 1,
  crc32: 4_000_000_000,
  sha256: 'a'.repeat(64),
  isUtf8: false,
  visibility: 'private',
  uploadedBy: null,
  blobId: null,
  facts: null,
  createdAt: 0,
  updatedAt: 0,
} as const

type Own<Row, Name extends keyof Row> = Pick<Row, Name> & Partial<Row>

export const rowOfFile = (own: Own<FileRow, 'id' | 'folderId' | 'name'>): FileRow => ({ ...FILE, ...own })

export const rowOfFolder = (own: Own<FolderRow, 'id' | 'parentId' | 'name'>): FolderRow => ({
  madeForKeys: false,
  createdAt: 0,
  updatedAt: 0,
  ...own,
})

const WHEN = { createdAt: '2026-01-01 00:00:00', updatedAt: '2026-01-01 00:00:00' }

/** Returns a public file of the root folder as clients see it. Its id is its name. */
export const fileView = (name: string, own: Partial<FileView> = {}): FileView => ({
  ...{ id: name, name, key: name, url: `api/hosting/${name}` },
  ...{ mimeType: FILE.mimeType, size: FILE.size, folderId: 'root', visibility: 'public' },
  ...WHEN,
  ...own,
})

/** Returns a folder of the root folder as clients see it. Its id is its name. */
export const folderView = (name: string): FolderView => ({
  ...{ id: name, name, key: name, parentId: 'root' },
  ...WHEN,
})

const COLUMNS = {
  mime_type: `'${FILE.mimeType}'`,
  size: `${FILE.size}`,
  crc32: `${FILE.crc32}`,
  sha256: `'${FILE.sha256}'`,
  visibility: `'${FILE.visibility}'`,
  uploaded_by: 'NULL',
  created_at: `${FILE.createdAt}`,
  updated_at: `${FILE.updatedAt}`,
}

/** SQL expressions of the columns of a file. */
type Columns = Record<'id' | 'folder_id' | 'name', string> & Partial<typeof COLUMNS>

/** Returns the statement that inserts a file, or one for each row of `source`, on both engines. */
export function insertFiles(own: Columns, source?: string): string {
  const columns = { ...COLUMNS, ...own }
  const from = source === undefined ? '' : ` FROM ${source}`
  return `INSERT INTO files (${Object.keys(columns)}) SELECT ${Object.values(columns)}${from}`
}

/** Returns the statement that copies one file for each row of `source`. `condition` selects the file. */
export const copyFiles = (own: Pick<Columns, 'id' | 'name'>, source: string, condition: string): string => {
  const copied = Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, `files.${name}`]))
  return insertFiles({ ...copied, folder_id: 'folder_id', ...own }, `${source}, files WHERE ${condition}`)
}
