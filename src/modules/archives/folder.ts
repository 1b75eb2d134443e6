import type { Context } from '../../access/context.ts'
import { joinKey } from '../../platform/names.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { StoredFile, StoredFolder } from '../../store/bytes.ts'
import type { Snapshot } from '../../store/rows.ts'
import type { ZipEntry } from '../../zip/entry.ts'
import { ZipLength } from '../../zip/length.ts'
import type { NamedFolder } from '../folders/model.ts'
import { requireFolder } from '../folders/service.ts'
import { foldersFrom, type PlacedFolder } from '../folders/walk.ts'
import {
  type Archive,
  type ArchivedFile,
  type Attempt,
  ContentBuffer,
  entryOf,
  FileChanged,
  measure,
  openById,
} from './archive.ts'
import { ArchivePlan } from './plan.ts'

const COLUMNS = ['id', 'name', 'size', 'crc32', 'updatedAt'] as const

/**
 * An archive of a folder and everything below it, under a directory of its name (spec: Download as zip). What is
 * missing, unreadable or no regular file is left out.
 *
 * @throws {Refusal} `not_found`; `unavailable` when too many are being read.
 */
export async function archiveFolder(deps: Context, which: NamedFolder, attempt: Attempt): Promise<Archive> {
  const plan = new ArchivePlan(deps)
  try {
    using snapshot = await deps.store.readers.snapshot(attempt.leaving)
    const folder = requireFolder({ store: snapshot }, which)
    // Before the length is known, no byte can be sent: the tree is walked first, and what was found is sent then.
    const displacements = deps.store.files.displacements()
    const walk = { snapshot, plan, attempt, displacements }
    const length = await measureFolder(deps, walk, { ...folder, path: folder.name })
    const entries = entriesOf(deps, plan, displacements)
    return { name: `${folder.name}.zip`, length, entries, close: () => plan.close() }
  } catch (error) {
    plan.close()
    throw error
  }
}

interface Walk {
  snapshot: Snapshot
  plan: ArchivePlan
  attempt: Attempt
  /** Count of displaced files in the catalog when the snapshot was taken. */
  displacements: number
}

/** Plans each folder before its files, by name, and these before the folders in it. Returns the archive's length. */
async function measureFolder(
  deps: Context,
  { snapshot, plan, attempt, displacements }: Walk,
  top: PlacedFolder,
): Promise<number> {
  const length = new ZipLength()
  const filesIn = deps.store.lists.inFolders(snapshot, COLUMNS)
  for (const folder of foldersFrom(snapshot, top)) {
    // Between folders, too: many may be empty.
    await turn(deps, attempt)
    length.add({ path: `${folder.path}/`, size: 0 })
    await plan.add({ folder, files: [] })
    using stored = new FilesOnDisk(deps, folder.id, displacements)
    for (const slice of filesIn(folder.id)) {
      await turn(deps, attempt)
      const files: ArchivedFile[] = []
      for (const file of slice) {
        const found = await measure(file, () => stored.open(file), attempt)
        if (!found && !attempt.isLast && !isInTree(deps, file)) throw new FileChanged()
        if (!found) continue
        files.push(found)
        length.add({ path: joinKey(folder.path, found.name), size: found.size })
      }
      await plan.add({ files })
    }
  }
  return length.total()
}

/** Whether a file is still there, so that its bytes are missing on the disk alone. */
function isInTree({ store }: Context, { id }: ArchivedFile): boolean {
  const file = store.files.byId(id)
  return file !== undefined && store.folders.keyOf(file.folderId) !== undefined
}

async function turn(deps: Context, { leaving }: Attempt): Promise<void> {
  await deps.nextTurn()
  assertConnected(leaving)
}

async function* entriesOf(
  deps: Context,
  plan: ArchivePlan,
  displacements: number,
): AsyncGenerator<ZipEntry, void> {
  const buffer = new ContentBuffer()
  let path = ''
  let stored: FilesOnDisk | undefined
  try {
    for await (const { folder, files } of plan.slices()) {
      await deps.nextTurn()
      if (folder) {
        stored?.[Symbol.dispose]()
        stored = new FilesOnDisk(deps, folder.id, displacements)
        path = folder.path
        yield { path: `${path}/`, size: 0, crc32: 0, modifiedAt: folder.updatedAt }
      }
      for (const file of files)
        yield entryOf(file, joinKey(path, file.name), { open: () => stored?.open(file), buffer })
    }
  } finally {
    stored?.[Symbol.dispose]()
  }
}

/** The files of a folder on the disk. While no file of the catalog was displaced, each is the one under its name. */
class FilesOnDisk implements Disposable {
  readonly #deps: Context
  readonly #folderId: string
  readonly #displacements: number
  /** Opened with its first file: the way to a folder leads through each one above it. */
  #folder: StoredFolder | 'missing' | undefined

  constructor(deps: Context, folderId: string, displacements: number) {
    this.#deps = deps
    this.#folderId = folderId
    this.#displacements = displacements
  }

  open({ id, name }: ArchivedFile): StoredFile | undefined {
    if (this.#deps.store.files.displacements() !== this.#displacements) return openById(this.#deps, id)
    this.#folder ??= this.#openFolder() ?? 'missing'
    return this.#folder === 'missing' ? undefined : this.#folder.openFile(name)
  }

  /** The folder, wherever it is by now. */
  #openFolder(): StoredFolder | undefined {
    const { store } = this.#deps
    const key = store.folders.keyOf(this.#folderId)
    return key === undefined ? undefined : store.openFolder(key)
  }

  [Symbol.dispose](): void {
    if (this.#folder !== 'missing') this.#folder?.close()
  }
}
