import type { TreeContext } from '../../access/context.ts'
import { joinKey } from '../../platform/names.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { OpenedFile, StoredFolder } from '../../store/bytes.ts'
import { findTops, foldersFrom, type NamedFolder } from '../../views/folders.ts'
import type { ZipEntry } from '../../zip/entry.ts'
import {
  type Archive,
  type ArchivedFile,
  type Attempt,
  type CatalogedFile,
  ContentBuffer,
  entryOf,
  FileChanged,
  isAsStored,
  measure,
  openById,
  openByRow,
} from './archive.ts'
import { OpenAhead } from './open-ahead.ts'
import { ArchivePlan } from './plan.ts'

const COLUMNS = ['id', 'name', 'size', 'crc32', 'blobId', 'createdAt', 'updatedAt'] as const

/**
 * Archives a folder and everything below it, under a directory of its name. What is missing, unreadable or no regular
 * file is left out.
 *
 * @throws {Refusal} `not-found`; `unavailable` when too many are being read.
 */
export async function archiveFolder(
  deps: TreeContext,
  which: NamedFolder,
  attempt: Attempt,
): Promise<Archive> {
  const plan = new ArchivePlan(deps)
  try {
    // No byte can be sent before the length is known.
    const { name, displacements } = await planFolder(deps, plan, { which, attempt })
    const entries = entriesOf(deps, plan, { attempt, displacements })
    return { name: `${name}.zip`, length: plan.length, entries, close: () => plan.close() }
  } catch (error) {
    plan.close()
    throw error
  }
}

interface Planning {
  which: NamedFolder
  attempt: Attempt
  /** Name in the archive; that of the folder if omitted. */
  as?: string
}

/**
 * Plans each folder before its files, by name, and these before the folders in it.
 *
 * @returns The folder's name, and the count of displaced files in the catalog when the snapshot was taken.
 */
export async function planFolder(deps: TreeContext, plan: ArchivePlan, { which, attempt, as }: Planning) {
  using snapshot = await deps.store.readers.snapshot(attempt.leaving)
  const displacements = deps.store.displacements()
  const { folder: one, tops } = await snapshot.read(() => findTops({ store: snapshot }, which))
  const filesIn = snapshot.filesIn(COLUMNS)
  for (const { row, key } of tops)
    for await (const folder of foldersFrom(snapshot, { ...row, path: one ? (as ?? one.name) : key })) {
      // Between folders, too: many may be empty.
      await turn(deps, attempt)
      await plan.addFolder(folder)
      using stored = new FilesOnDisk(deps, folder.id, displacements)
      for await (const slice of filesIn(folder.id)) {
        await turn(deps, attempt)
        await plan.addFiles(await findPresent(deps, stored, { slice, attempt }))
      }
    }
  return { name: one?.name ?? '', displacements }
}

interface Slice {
  slice: CatalogedFile[]
  attempt: Attempt
}

/** Returns the files that can be sent, as they are on disk. Most are as stored, which their length and time show. */
async function findPresent(
  deps: TreeContext,
  stored: FilesOnDisk,
  { slice, attempt }: Slice,
): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = []
  await stored.find()
  for (const file of slice) {
    const isDoubtful = attempt.unreadable.has(file.id) || attempt.damaged.has(file.id)
    const isKnown = stored.isAsStored(file) && !isDoubtful
    const found = isKnown ? file : await measure(deps, file, () => stored.open(file), attempt)
    if (!found && !attempt.isLast && !(await isInTree(deps, file))) throw new FileChanged()
    if (found) files.push(found)
  }
  return files
}

/** True when a file is still there, so that only its bytes are missing. */
const isInTree = ({ store }: TreeContext, { id }: ArchivedFile): Promise<boolean> =>
  store.read(function* () {
    const file = yield* store.files.byId(id)
    return file !== undefined && (yield* store.folders.keyOf(file.folderId)) !== undefined
  })

async function turn(deps: TreeContext, { leaving }: Attempt): Promise<void> {
  await deps.nextTurn()
  assertConnected(leaving)
}

export async function* entriesOf(
  deps: TreeContext,
  plan: ArchivePlan,
  { attempt, displacements }: { attempt: Attempt; displacements: number },
): AsyncGenerator<ZipEntry, void> {
  const buffer = new ContentBuffer()
  let path = ''
  let stored: FilesOnDisk | undefined
  try {
    for await (const slice of plan.slices()) {
      await deps.nextTurn()
      if ('folder' in slice) {
        const { folder } = slice
        stored?.[Symbol.dispose]()
        stored = new FilesOnDisk(deps, folder.id, displacements)
        path = folder.path
        yield { path: `${path}/`, size: 0, crc32: 0, modifiedAt: folder.updatedAt }
        continue
      }
      using ahead = new OpenAhead(slice.files, attempt.placesAhead, async (file) => stored?.open(file))
      for (const file of slice.files)
        yield entryOf(file, joinKey(path, file.name), { open: () => ahead.open(file), buffer })
    }
  } finally {
    stored?.[Symbol.dispose]()
  }
}

/** The files of a folder on the disk. While no file of the catalog was displaced, each is the one under its name. */
class FilesOnDisk implements Disposable {
  readonly #deps: TreeContext
  readonly #folderId: string
  readonly #displacements: number
  /** Opened with its first file: the way to a folder leads through each one above it. */
  #folder: StoredFolder | 'missing' | undefined

  constructor(deps: TreeContext, folderId: string, displacements: number) {
    this.#deps = deps
    this.#folderId = folderId
    this.#displacements = displacements
  }

  async open(file: ArchivedFile): Promise<OpenedFile | undefined> {
    if (file.blobId !== null) return openByRow(this.#deps, file)
    const folder = await this.find()
    // Asked after the wait, because a rename may have come in between.
    return this.#isDisplaced ? openById(this.#deps, file.id) : folder?.openFile(file.name)
  }

  /** Returns true if the folder, once found, shows without opening the file that it is as stored. */
  isAsStored(file: CatalogedFile): boolean {
    if (file.blobId !== null) return true
    if (this.#folder === undefined || this.#folder === 'missing' || this.#isDisplaced) return false
    const state = this.#folder.stateOf(file.name)
    return state !== undefined && isAsStored(state, file)
  }

  get #isDisplaced(): boolean {
    return this.#deps.store.displacements() !== this.#displacements
  }

  /** Opens the folder, unless it is missing. */
  async find(): Promise<StoredFolder | undefined> {
    this.#folder ??= (await this.#openFolder()) ?? 'missing'
    return this.#folder === 'missing' ? undefined : this.#folder
  }

  /** Opens the folder at its present key. */
  async #openFolder(): Promise<StoredFolder | undefined> {
    const { store } = this.#deps
    const key = await store.folders.keyOf(this.#folderId)
    return key === undefined ? undefined : store.openFolder(key)
  }

  [Symbol.dispose](): void {
    if (this.#folder !== 'missing') this.#folder?.close()
  }
}
