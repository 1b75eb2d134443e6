import { blobTime } from '../../blobs/blobs.ts'
import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { Dangling } from '../../catalog/sqlite/check.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashedFile, TrashedFolder, TrashRow } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { commitInBatches, type DanglingDrop, dropsOf, type Prepared } from '../batches.ts'
import { type FileProblem, newFileRow, notAfter } from '../content.ts'
import type { ObjectReader, StoredRow } from './verify.ts'

/** Step that brings rows into agreement with objects. It changes no object. */
export type ObjectChange = { key: string } & (
  | ({ kind: 'record damage' } & Damage)
  | ({ kind: 'clear damage' } & Omit<Damage, 'problem'>)
  | RestoredBytes
  | { kind: 'drop version'; id: string }
  /** The row of the blob is missing, or marks it for removal. */
  | { kind: 'keep blob'; blob: { id: string; size: number } }
  | { kind: 'drop blob'; id: string }
  | { kind: 'add folder'; row: FolderRow }
  | AddedFile
  | { kind: 'add version'; row: VersionRow }
  | { kind: 'add to trash'; item: TrashRow; folders: readonly TrashedFolder[]; row: TrashedFile }
  | DanglingDrop
  | { kind: 'leave'; why: string }
)

/** File of an earlier catalog whose object is there. */
export interface AddedFile {
  kind: 'add file'
  row: FileRow
  /** True when only the bytes tell that the row is not garbled. */
  isDoubtful: boolean
  /** True once its bytes turned out to differ. */
  isOther?: boolean
}

/** Bytes that are sent again from a backup. */
interface RestoredBytes extends Damage {
  kind: 'restore bytes'
  blob: { id: string; size: number }
  sha256: string
}

export interface Damage {
  place: StoredRow['place']
  id: string
  problem: FileProblem
}

/** Rows of a catalog, as far as they lead to objects. */
export type Rows = Pick<
  ReadableCatalog,
  'blobs' | 'files' | 'folders' | 'integrity' | 'read' | 'trash' | 'versions'
>

/** Rows that were in another database before. */
export interface EarlierRows {
  catalog: Rows
  /** True when all of them could be read. */
  isWhole: boolean
}

export interface ObjectRepair {
  catalog: Rows
  objects: ObjectReader
  /** True to read every object; else only sizes are compared. */
  deep: boolean
  /** Earlier catalogs that may know objects without a row; newest first. */
  earlier: readonly EarlierRows[]
  /** Returns true when a backup has these bytes. */
  isInBackup: (content: { sha256: string; size: number }) => boolean
  /** True when the database was lost, and is built from the earlier ones. */
  isLost: boolean
  random: { id: () => string }
}

/** Objects by their ids, with their sizes, and the ids of those that rows lead to. */
export interface FoundObjects {
  sizes: ReadonlyMap<string, number>
  used: Set<string>
}

/** Catalog on any engine that a repair changes. */
export type RepairedCatalog = Pick<
  Catalog,
  'blobs' | 'files' | 'folders' | 'integrity' | 'transact' | 'trash' | 'versions'
> & { mend: () => PromiseLike<readonly Dangling[]> }

interface ApplyDeps {
  catalog: RepairedCatalog
  objects: ObjectReader
  clock: Clock
  random: Random
  /** Sends bytes again. Returns false when that is not possible. */
  mend: (bytes: RestoredBytes) => Promise<boolean>
}

/**
 * Makes the changes, and mends references and running totals. May be interrupted and repeated.
 *
 * @param report Receives each change once it is committed.
 */
export async function applyObjectRepair(
  deps: ApplyDeps,
  changes: AsyncIterable<ObjectChange>,
  report: (change: ObjectChange) => void,
): Promise<void> {
  await commitInBatches(deps.catalog, prepareAll(deps, changes), report)
  for (const drop of dropsOf(await deps.catalog.mend())) report(drop)
}

async function* prepareAll(
  deps: ApplyDeps,
  changes: AsyncIterable<ObjectChange>,
): AsyncGenerator<Prepared<ObjectChange>> {
  for await (const planned of changes) {
    const change = await prepared(deps, planned)
    yield { change, make: () => make(deps, change) }
  }
}

async function prepared(deps: ApplyDeps, change: ObjectChange): Promise<ObjectChange> {
  if (change.kind === 'add file') return compared(deps, change)
  if (change.kind !== 'restore bytes' || (await deps.mend(change))) return change
  const { key, id, place, problem } = change
  return { kind: 'record damage', key, id, place, problem }
}

/** Reads the bytes of a file if they are in doubt. Other ones than those of its row make it a new private file. */
async function compared(
  { objects, clock, random }: ApplyDeps,
  change: AddedFile & { key: string },
): Promise<ObjectChange> {
  const { key, row, isDoubtful } = change
  if (!isDoubtful) return change
  const { blobId, size, folderId, name } = row
  const opened = blobId === null ? undefined : await objects.open({ id: blobId, size })
  if (!opened) return { kind: 'leave', key, why: 'bytes are missing' }
  const sums = await opened.checksums()
  if (sums.sha256 === row.sha256) return { ...change, row: { ...row, ...sums } }
  const given = { id: random.id(), folderId, name, uploadedBy: null, blobId, size, ...sums }
  const createdAt = notAfter(clock.now(), opened.mtimeMs)
  return { ...change, row: { ...newFileRow(given, createdAt), visibility: 'private' }, isOther: true }
}

function make({ catalog, clock }: ApplyDeps, change: ObjectChange): Steps<void> {
  const { blobs, files, folders, integrity, versions } = catalog
  switch (change.kind) {
    case 'record damage': {
      const { id, place, problem } = change
      const foundAt = clock.now()
      if (place === 'files') return integrity.put({ fileId: id, problem, foundAt })
      return integrity.putHeld({ id, place: place === 'versions' ? 'version' : 'trash', problem, foundAt })
    }
    case 'clear damage':
      return clear(integrity, change)
    case 'restore bytes':
      return withBlob(catalog, { blobId: change.blob.id, size: change.blob.size }, clear(integrity, change))
    case 'drop version':
      return versions.remove([change.id])
    case 'keep blob':
      return blobs.restore(keptBlob(change.blob))
    case 'drop blob':
      return blobs.remove([change.id])
    case 'add folder':
      return folders.insert([change.row])
    case 'add file':
      return withBlob(catalog, change.row, files.insert([change.row]))
    case 'add version':
      return withBlob(catalog, change.row, versions.insert(change.row))
    case 'add to trash':
      return withBlob(catalog, change.row, addToTrash(catalog, change))
    case 'drop rows':
    case 'leave':
      return nothing()
  }
}

const clear = (
  integrity: Pick<Catalog['integrity'], 'clear' | 'clearHeld'>,
  { place, id }: Pick<RestoredBytes, 'place' | 'id'>,
) => (place === 'files' ? integrity.clear(id) : integrity.clearHeld(id))

function* nothing(): Work<void> {}

function* withBlob(
  { blobs }: Pick<Catalog, 'blobs'>,
  { blobId, size }: { blobId: string | null; size: number },
  insert: Steps<void>,
): Work<void> {
  if (blobId !== null) yield* blobs.restore(keptBlob({ id: blobId, size }))
  yield* insert
}

/** Adds a file of the trash, with the rows above it that are missing. */
function* addToTrash(
  { trash }: Pick<Catalog, 'trash'>,
  { item, folders, row }: Extract<ObjectChange, { kind: 'add to trash' }>,
): Work<void> {
  if (!(yield* trash.byId(item.id))) yield* trash.insert({ ...item, count: 0, size: 0 })
  for (const folder of folders) if (!(yield* trash.folder(folder.id))) yield* trash.insertFolder(folder)
  yield* trash.insertFiles([row])
  yield* trash.add(item.id, { count: 1, size: row.size })
}

/** Builds the row of a blob that a row leads to. */
const keptBlob = ({ id, size }: { id: string; size: number }) => ({
  ...{ id, size },
  createdAt: Math.trunc(blobTime(id)),
})
