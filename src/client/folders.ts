import { sendBytes, sendTree } from './body.ts'
import type { Connection } from './connection.ts'
import { pages } from './pages.ts'
import type {
  Content,
  Destination,
  FileChecksum,
  Folder,
  FolderPage,
  FolderTotals,
  HoldfastFile,
  Imported,
  ListOptions,
  SignalOption,
  TransferOptions,
  TreeFile,
  Visibility,
  Which,
} from './types.ts'

const PATH = 'api/folders'
/** The root, which has no key to speak of. */
const ROOT: Which = { key: '' }

export interface ImportOptions extends TransferOptions {
  /** The key of the folder to unpack into; made when missing. The root when there is none. */
  folder?: string
  visibility?: Visibility
}

/** `/api/folders`. Every call throws a `HoldfastError` when the server refuses it. */
export function folderCalls(connection: Connection) {
  const change = async (id: string, changes: { name?: string; visibility?: Visibility }) =>
    (await connection.data<{ folder: Folder }>(PATH, { method: 'PUT', json: { id, ...changes } })).folder
  const page = (
    which: Which = ROOT,
    { signal, ...options }: ListOptions & SignalOption = {},
  ): Promise<FolderPage> => connection.data(PATH, { query: { ...options, ...which }, signal })

  return {
    /** The folders directly in a folder, by name. */
    folders: async (which: Which = ROOT, { signal }: SignalOption = {}): Promise<Folder[]> =>
      (await page(which, { limit: 0, signal })).folders,
    /** One page of the files directly in a folder, with its folders. */
    page,
    /** The files directly in a folder, in pages as they are read. */
    files: (which: Which = ROOT, options: ListOptions = {}): AsyncGenerator<HoldfastFile> =>
      pages(
        { ...options, ...which },
        async (query) => (await connection.data<FolderPage>(PATH, { query })).files,
      ),
    /** Every file below a folder with its SHA-256. */
    checksums: async (which: Which = ROOT): Promise<FileChecksum[]> =>
      (await connection.data<{ files: FileChecksum[] }>(`${PATH}/checksums`, { query: { ...which } })).files,
    /** Counts the files and folders below a folder, and the bytes of the files. */
    totals: (which: Which = ROOT): Promise<FolderTotals> =>
      connection.data(`${PATH}/totals`, { query: { ...which } }),
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
    delete: (id: string): Promise<null> => connection.data(PATH, { method: 'DELETE', json: { id } }),
    /** The folder and everything below it as a ZIP archive, as the body of the answer. */
    archive: (which: Which = ROOT, options: SignalOption = {}): Promise<Response> =>
      connection.download(`${PATH}/download`, { query: { ...which }, ...options }),
    /**
     * Stores files at their paths below a folder: all of them, or none. They travel as one archive, in which text is
     * compressed. It holds at most 65,535 files and 4 GiB.
     */
    upload: (
      files: readonly TreeFile[],
      { folder, visibility, ...transfer }: ImportOptions = {},
    ): Promise<Imported> =>
      sendTree(connection, `${PATH}/import`, { files, query: { folder, visibility }, ...transfer }),
    /** Unpacks a ZIP archive into a folder: all of it, or nothing. */
    import: (archive: Content, { folder, visibility, ...transfer }: ImportOptions = {}): Promise<Imported> =>
      sendBytes(connection, `${PATH}/import`, {
        content: archive,
        type: 'application/zip',
        query: { folder, visibility },
        ...transfer,
      }),
  }
}
