import { type BatchOutcome, forEachId, type Selected } from '../../access/batch.ts'
import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { isRefused, Refusal, refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { describeNames, joinKey } from '../../platform/names.ts'
import { assertConnected } from '../../platform/slots.ts'
import { receiveLimits, replaceBy, withStaging } from '../../reception/receive.ts'
import type { OpenedFile, StagedFile } from '../../store/bytes.ts'
import { type Copied, copiedOf, type FileRow, type Work } from '../../store/rows.ts'
import { type Destination, findKey, refuseTaken } from '../../store/tree.ts'
import type { Published, Upload } from '../../store/upload.ts'
import { locateFile, requireFile, viewRows } from '../../views/files.ts'
import { foldersFrom, requireFolder } from '../../views/folders.ts'
import type { Copy } from './model.ts'

/** Maximum files and folders of one folder, as of an archive to import. */
const MAX_ENTRIES = 10_000
/** Tries to publish a copy whose name another request took meanwhile. */
const MAX_TRIES = 20

interface CopyRequest extends Selected {
  destination: Destination
}

/**
 * Copies each file and folder separately; a folder as a whole. A name that is taken gets a number.
 *
 * @param leaving Ends the copy when it is aborted.
 * @throws {Refusal} `not-found` when none of the ids exist, `conflict` when a file is in the place of the destination.
 */
export async function copyItems(
  deps: TreeContext,
  caller: Caller,
  { ids, folders, destination }: CopyRequest,
  leaving: AbortSignal,
): Promise<{ copied: Copy[]; failed: BatchOutcome<Copy>['failed'] }> {
  deps.store.assertPresent()
  await deps.store.assertDestination(destination)
  const { done, failed } = await forEachId(deps, ids, {
    authorize: () => assertStillAllowed(deps, caller, 'files:write'),
    work: async (id) => {
      const original = folders.has(id) ? await readFolder(deps, id, leaving) : await readFile(deps, id)
      return copyOne(deps, caller, { original, destination, leaving })
    },
  })
  return { copied: done, failed }
}

/** Copies one file or folder to a name that must be free. @throws {Refusal} `not-found`, `name-taken`, as `copyItems`. */
export async function copyAs(
  deps: TreeContext,
  caller: Caller,
  { id, kind, name, destination }: { id: string; kind: Copy['kind']; name: string; destination: Destination },
  leaving: AbortSignal,
): Promise<Copy> {
  deps.store.assertPresent()
  const original = kind === 'folder' ? await readFolder(deps, id, leaving) : await readFile(deps, id)
  return copyOne(deps, caller, { original: { ...original, name }, destination, leaving, isExact: true })
}

/** Columns of a file that lead to its bytes, or say what they were. */
const COLUMNS = ['id', 'name', 'size', 'crc32', 'sha256', 'isUtf8', 'blobId'] as const

/** File or folder to copy, with everything below it. */
interface Original {
  id: string
  kind: 'file' | 'folder'
  name: string
  /** Paths of the folders below the folder. */
  folders: string[]
  files: { row: Pick<FileRow, (typeof COLUMNS)[number]>; key: string; folder: string }[]
}

async function readFile(deps: TreeContext, id: string): Promise<Original> {
  const { row, key } = await locateFile(deps, { id })
  return { id, kind: 'file', name: row.name, folders: [], files: [{ row, key, folder: '' }] }
}

/** Reads a folder at one moment, in time slices. */
async function readFolder(
  { store, nextTurn }: Pick<TreeContext, 'store' | 'nextTurn'>,
  id: string,
  leaving: AbortSignal,
): Promise<Original> {
  using snapshot = await store.readers.snapshot(leaving)
  const top = await snapshot.folders.byId(id)
  const at = await snapshot.folders.keyOf(id)
  if (!top || at === undefined) throw new Refusal('folder-not-found')
  if (top.parentId === null) throw refuseInvalid('The root folder cannot be copied')
  const filesIn = snapshot.filesIn(COLUMNS)
  const original: Original = { id, kind: 'folder', name: top.name, folders: [], files: [] }
  for await (const folder of foldersFrom(snapshot, { ...top, path: '' })) {
    await nextTurn()
    assertConnected(leaving)
    if (folder.path !== '') original.folders.push(folder.path)
    assertFew(original)
    const key = folder.path === '' ? at : joinKey(at, folder.path)
    for await (const slice of filesIn(folder.id)) {
      for (const row of slice) original.files.push({ row, key: joinKey(key, row.name), folder: folder.path })
      assertFew(original)
      await nextTurn()
      assertConnected(leaving)
    }
  }
  return original
}

function assertFew({ folders, files }: Original): void {
  if (folders.length + files.length > MAX_ENTRIES)
    throw new Refusal('too-many', `A folder to copy may hold at most ${MAX_ENTRIES} files and folders`)
}

interface ToCopy {
  original: Original
  destination: Destination
}

interface ToStage {
  original: Original
  leaving: AbortSignal
}

/** Copies the bytes of each file, and runs `use` with the copies. */
function withCopies<Answer>(
  deps: TreeContext,
  caller: Caller,
  { original, leaving }: ToStage,
  use: (staged: StagedFile[]) => Promise<Answer>,
): Promise<Answer> {
  return withStaging(deps, 0, async (staging) => {
    const bytes = original.files.reduce((sum, { row }) => sum + row.size, 0)
    await deps.store.quotas.assertRoom({ userId: caller.user.id, bytes })
    const limits = { ...receiveLimits(deps), leaving }
    const staged: StagedFile[] = []
    for (const file of original.files) {
      assertConnected(leaving)
      staged.push(await staging.copy({ row: file.row, open: () => openOriginal(deps, file) }, limits))
    }
    await staging.sync()
    return use(staged)
  })
}

/**
 * Replaces the bytes of a file by a copy of another one's, in one transaction. It keeps its id, and becomes private with
 * a private original.
 *
 * @throws {Refusal} `not-found`, `conflict`.
 */
export async function copyOver(
  deps: TreeContext,
  caller: Caller,
  { id, replaces }: { id: string; replaces: string },
  leaving: AbortSignal,
): Promise<void> {
  deps.store.assertPresent()
  const original = await readFile(deps, id)
  await withCopies(deps, caller, { original, leaving }, async ([bytes]) => {
    const now = await deps.store.files.byId(id)
    if (!bytes || !now) throw new Refusal('file-not-found')
    await replaceBy(deps, caller, {
      ...{ id: replaces, staged: bytes },
      visibility: now.visibility === 'private' ? 'private' : undefined,
      alongside: () => assertPresent(deps, original),
    })
  })
}

function copyOne(
  deps: TreeContext,
  caller: Caller,
  { original, destination, leaving, isExact = false }: ToCopy & ToStage & { isExact?: boolean },
): Promise<Copy> {
  return withCopies(deps, caller, { original, leaving }, async (staged) => {
    for (let tries = 1; ; tries++) {
      const { folder, name } = await deps.store.placeCopy(destination, original)
      if (isExact && name !== original.name) throw refuseTaken('Something', original.name)
      const base = original.kind === 'folder' ? [...folder, name] : folder
      const below = (path: string) => (path === '' ? base : [...base, ...path.split('/')])
      const files = original.files.flatMap(({ row, folder }, index) => {
        const bytes = staged[index]
        const own = original.kind === 'file' ? name : row.name
        return bytes ? [{ folder: below(folder), name: own, staged: bytes }] : []
      })
      try {
        const folders = [base, ...original.folders.map(below)]
        const published = await publish(deps, caller, {
          original,
          upload: { folders, files },
          name,
          assertPlace: () => assertPlace(deps, { original, destination, folder, base }),
        })
        return {
          from: original.id,
          kind: original.kind,
          name,
          ...madeBy(published, { original, base, name }),
        }
      } catch (error) {
        if (!isRefused(error, 409) || tries === MAX_TRIES) throw error
      }
    }
  })
}

/**
 * Opens the bytes of a file. They must still be those of its row: another file may be at the key by now.
 *
 * @throws {Refusal} `conflict`.
 */
async function openOriginal(
  { store }: Pick<TreeContext, 'store'>,
  { row, key }: Original['files'][number],
): Promise<OpenedFile> {
  const isSame = await store.read(function* (): Work<boolean> {
    const now = yield* store.files.byId(row.id)
    return now?.sha256 === row.sha256 && (yield* findKey(store, now)) === key
  })
  // Nothing may be awaited in between: changes need a turn of the event loop.
  if (!isSame) throw refuseConflict(`"${key}" was moved, deleted or changed meanwhile`)
  const source = await store.openFile({ ...row, key })
  if (!source) throw refuseConflict(`"${key}" is missing on disk`)
  return source
}

/** Returns the id and key of a copy. */
function madeBy(
  { files, folders }: Published,
  { original, base, name }: { original: Original; base: string[]; name: string },
): Pick<Copy, 'id' | 'key'> {
  if (original.kind === 'file') return { id: files[0]?.id ?? '', key: [...base, name].join('/') }
  // Its own folders follow it, so it is the last but these.
  const row = folders.at(-1 - original.folders.length)
  return { id: row?.id ?? '', key: base.join('/') }
}

interface Place extends ToCopy {
  folder: string[]
  /** Names of the copied folder from the root. */
  base: string[]
}

/**
 * Asserts that the destination did not move since the copy was placed, and that no folder has its name: files would
 * be added to that one.
 *
 * @throws {Refusal} `conflict`.
 */
function* assertPlace(
  { store: { folders } }: Pick<TreeContext, 'store'>,
  { original, destination, folder, base }: Place,
): Work<void> {
  const moved = 'folderId' in destination && (yield* folders.idAt(folder)) !== destination.folderId
  const taken = original.kind === 'folder' && (yield* folders.idAt(base)) !== undefined
  if (moved || taken)
    throw refuseConflict(`"${original.name}" could not be copied: other changes came between`)
}

/** Asserts that a caller that does not reach everything still reaches the original. @throws {Refusal} `not-found`. */
function* assertPresent(deps: TreeContext, { id, kind }: Original): Work<void> {
  if (deps.store.reach.isEverything) return
  if (kind === 'file') yield* requireFile(deps, { id })
  else yield* requireFolder(deps, { id })
}

interface Publication {
  original: Original
  upload: Pick<Upload, 'folders' | 'files'>
  name: string
  assertPlace: () => Work<void>
}

function publish(
  deps: TreeContext,
  caller: Caller,
  { original, upload, name, assertPlace }: Publication,
): Promise<Published> {
  const userId = caller.user.id
  return deps.store.publishUpload({
    ...upload,
    uploadedBy: userId,
    decide: function* (files) {
      yield* assertStillAllowed(deps, caller, 'files:write')
      yield* assertPlace()
      yield* assertPresent(deps, original)
      // A file may have become private since it was read, or left the tree.
      const rows = yield* deps.store.files.lockAll(original.files.map(({ row }) => row.id))
      const shown = new Set((yield* viewRows(deps.store, rows)).map(({ id }) => id))
      const originals = new Map(rows.filter(({ id }) => shown.has(id)).map((row) => [row.id, row]))
      const copied = files.flatMap(({ id }, index): [string, Copied][] => {
        const row = originals.get(original.files[index]?.row.id ?? '')
        return row ? [[id, copiedOf(row)]] : []
      })
      return {
        visibility: 'private',
        copied: new Map(copied),
        activity: { type: `${original.kind}.copied`, ...describeNames([name]) },
      }
    },
  })
}
