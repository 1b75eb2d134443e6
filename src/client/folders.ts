import { sendBytes, sendTree } from './body.ts'
import type { Connection } from './connection.ts'
import { pages } from './pages.ts'
import type {
  Content,
  Destination,
  FileChecksum,
  Folder,
  FolderPage,
  FolderSize,
  FolderTotals,
  HoldfastFile,
  Imported,
  ListOptions,
  OnConflict,
  SignalOption,
  TransferOptions,
  TreeFile,
  Visibility,
  Which,
} from './types.ts'

const PATH = 'api/folders'
/** The root, whose key is empty. */
const ROOT: Which = { key: '' }

export interface ImportOptions extends TransferOptions {
  /** Object key of the target folder, created when missing. Default: the root. */
  folder?: string
  visibility?: Visibility
  onConflict?: OnConflict
}

/** Returns the calls of `/api/folders`. Each throws a `HoldfastError` when the server refuses it. */
export function folderCalls(connection: Connection) {
  const change = async (id: string, changes: { name?: string; visibility?: Visibility }) =>
    (await connection.data<{ folder: Folder }>(PATH, { method: 'PUT', json: { id, ...changes } })).folder
  const page = (
    which: Which = ROOT,
    { signal, ...options }: ListOptions & SignalOption = {},
  ): Promise<FolderPage> => connection.data(PATH, { query: { ...options, ...which }, signal })

  return {
    /** Lists the folders directly in a folder, by name. */
    folders: async (which: Which = ROOT, { signal }: SignalOption = {}): Promise<Folder[]> =>
      (await page(which, { limit: 0, signal })).folders,
    /** Returns one page of the files directly in a folder, with all its folders. */
    page,
    /** Lists the files directly in a folder, page by page. */
    files: (which: Which = ROOT, options: ListOptions = {}): AsyncGenerator<HoldfastFile> =>
      pages(
        { ...options, ...which },
        async (query) => (await connection.data<FolderPage>(PATH, { query })).files,
      ),
    /** Lists every file below a folder with its SHA-256. */
    checksums: async (which: Which = ROOT): Promise<FileChecksum[]> =>
      (await connection.data<{ files: FileChecksum[] }>(`${PATH}/checksums`, { query: { ...which } })).files,
    /** Counts the files and folders below a folder, and the bytes of the files. */
    totals: (which: Which = ROOT): Promise<FolderTotals> =>
      connection.data(`${PATH}/totals`, { query: { ...which } }),
    /** Counts the files and folders below each folder that is directly in a folder, by name. */
    sizes: async (which: Which = ROOT, { signal }: SignalOption = {}): Promise<FolderSize[]> =>
      (await connection.data<{ folders: FolderSize[] }>(`${PATH}/sizes`, { query: { ...which }, signal }))
        .folders,
    create: async (folder: string): Promise<Folder> =>
      (await connection.data<{ folder: Folder }>(PATH, { method: 'POST', json: { folder } })).folder,
    rename: (id: string, name: string): Promise<Folder> => change(id, { name }),
    /** Sets the visibility of every file in the folder and below. */
    setVisibility: (id: string, visibility: Visibility): Promise<Folder> => change(id, { visibility }),
    move: async (id: string, destination: Destination): Promise<Folder> =>
      (
        await connection.data<{ folder: Folder }>(`${PATH}/move`, {
          method: 'POST',
          json: { id, ...destination },
        })
      ).folder,
    /**
     * Puts a folder in the place of another, which goes to the trash. It may come from the trash itself. Visitors find
     * one or the other at any time.
     */
    replace: async (id: string, replaces: string): Promise<Folder> =>
      (
        await connection.data<{ folder: Folder }>(`${PATH}/replace`, {
          method: 'POST',
          json: { id, replaces },
        })
      ).folder,
    delete: (id: string): Promise<null> => connection.data(PATH, { method: 'DELETE', json: { id } }),
    /** Downloads the folder and everything below it as a ZIP archive, the body of the response. */
    archive: (which: Which = ROOT, options: SignalOption = {}): Promise<Response> =>
      connection.download(`${PATH}/download`, { query: { ...which }, ...options }),
    /**
     * Stores files at their paths below a folder: all of them, or none. They travel as one archive in which text is
     * compressed, of at most 65,535 files and 4 GiB.
     */
    upload: (
      files: readonly TreeFile[],
      { folder, visibility, onConflict, ...transfer }: ImportOptions = {},
    ): Promise<Imported> =>
      sendTree(connection, `${PATH}/import`, {
        files,
        query: { folder, visibility, onConflict },
        ...transfer,
      }),
    /** Unpacks a ZIP archive into a folder: all of it, or none. */
    import: (
      archive: Content,
      { folder, visibility, onConflict, ...transfer }: ImportOptions = {},
    ): Promise<Imported> =>
      sendBytes(connection, `${PATH}/import`, {
        method: 'POST',
        content: archive,
        type: 'application/zip',
        query: { folder, visibility, onConflict },
        ...transfer,
      }),
  }
}
