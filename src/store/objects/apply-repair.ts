import type { Catalog } from '../../catalog/catalog.ts'
import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { notAfter } from '../adopt-entry.ts'
import { commitInBatches, type Prepared } from '../commit-batches.ts'
import { newFileRow } from '../folder/publish.ts'
import type { ObjectReader } from './problem.ts'
import { type AddedFile, keptBlob, type ObjectChange, type RestoredBytes } from './repair-change.ts'

/** Catalog on any engine that a repair changes. */
export type RepairedCatalog = Pick<
  Catalog,
  'blobs' | 'files' | 'folders' | 'integrity' | 'transact' | 'trash' | 'versions'
> & { recount: () => PromiseLike<void> }

interface ApplyDeps {
  catalog: RepairedCatalog
  objects: ObjectReader
  clock: Clock
  random: Random
  /** Sends bytes again. Returns false when that is not possible. */
  mend: (bytes: RestoredBytes) => Promise<boolean>
}

/**
 * Makes the changes and recounts the running totals. May be interrupted and repeated.
 *
 * @param report Receives each change once it is committed.
 */
export async function applyObjectRepair(
  deps: ApplyDeps,
  changes: AsyncIterable<ObjectChange>,
  report: (change: ObjectChange) => void,
): Promise<void> {
  await commitInBatches(deps.catalog, prepareAll(deps, changes), report)
  await deps.catalog.recount()
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
