import { sendBytes, sendTree } from './body.ts'
import { type Connection, callsAt } from './connection.ts'
import { pages } from './pages.ts'
import type {
  Content,
  Destination,
  FileChecksum,
  Folder,
  FolderPage,
  FolderSize,
  FolderTotals,
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
  const { get, post, put, remove } = callsAt(connection, PATH)
  const one = async (answer: Promise<{ folder: Folder }>) => (await answer).folder
  const page = (which: Which = ROOT, { signal, ...options }: ListOptions & SignalOption = {}) =>
    get<FolderPage>({ ...options, ...which }, '', signal)

  return {
    /** Lists the folders directly in a folder, by name. */
    folders: async (which: Which = ROOT, { signal }: SignalOption = {}) =>
      (await page(which, { limit: 0, signal })).folders,
    /** Returns one page of the files directly in a folder, with all its folders. */
    page,
    /** Lists the files directly in a folder, page by page. */
    files: (which: Which = ROOT, options: ListOptions = {}) =>
      pages({ ...options, ...which }, async (query) => (await get<FolderPage>(query)).files),
    /** Lists every file below a folder with its SHA-256. */
    checksums: async (which: Which = ROOT) =>
      (await get<{ files: FileChecksum[] }>({ ...which }, '/checksums')).files,
    /** Counts the files and folders below a folder, and the bytes of the files. */
    totals: (which: Which = ROOT) => get<FolderTotals>({ ...which }, '/totals'),
    /** Counts the files and folders below each folder that is directly in a folder, by name. */
    sizes: async (which: Which = ROOT, { signal }: SignalOption = {}) =>
      (await get<{ folders: FolderSize[] }>({ ...which }, '/sizes', signal)).folders,
    create: (folder: string) => one(post({ folder })),
    rename: (id: string, name: string) => one(put({ id, name })),
    /** Sets the visibility of every file in the folder and below. */
    setVisibility: (id: string, visibility: Visibility) => one(put({ id, visibility })),
    move: (id: string, destination: Destination) => one(post({ id, ...destination }, '/move')),
    /**
     * Puts a folder in the place of another, which goes to the trash. It may come from the trash itself. Visitors find
     * one or the other at any time.
     */
    replace: (id: string, replaces: string) => one(post({ id, replaces }, '/replace')),
    delete: (id: string) => remove<null>({ id }),
    /** Downloads the folder and everything below it as a ZIP archive, the body of the response. */
    archive: (which: Which = ROOT, options: SignalOption = {}) =>
      connection.download(`${PATH}/download`, { query: { ...which }, ...options }),
    /**
     * Stores files at their paths below a folder: all of them, or none. They travel as one archive in which text is
     * compressed, of at most 65,535 files and 4 GiB.
     */
    upload: (files: readonly TreeFile[], options: ImportOptions = {}) =>
      sendTree<Imported>(connection, `${PATH}/import`, { files, ...importOf(options) }),
    /** Unpacks a ZIP archive into a folder: all of it, or none. */
    import: (archive: Content, options: ImportOptions = {}) =>
      sendBytes<Imported>(connection, `${PATH}/import`, {
        method: 'POST',
        content: archive,
        type: 'application/zip',
        ...importOf(options),
      }),
  }
}

const importOf = ({ folder, visibility, onConflict, ...transfer }: ImportOptions) => ({
  query: { folder, visibility, onConflict },
  ...transfer,
})
