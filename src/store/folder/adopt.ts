import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { Query, Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { Visibility } from '../../platform/config.ts'
import { joinKey } from '../../platform/names.ts'
import { commitInBatches, type DanglingDrop, dropsOf, type Prepared } from '../batches.ts'
import { newFileRow, notAfter } from '../content.ts'
import {
  dropHeld,
  type HeldDrop,
  prepareTrashItem,
  readContent,
  reasonToLeave,
  type TrashAddition,
  tidyTrash,
} from './adopt-held.ts'
import type { FolderDeps } from './change.ts'
import { type Difference, orUnreadable, type VerifyOptions, verify } from './verify.ts'

/** Step that brings the catalog into agreement with the volume. On the volume, only empty folders of the trash are removed. */
export type Change = { key: string } & (
  | { kind: 'add folder'; row: FolderRow }
  | AddedFile
  | { kind: 'update file'; id: string; why: string }
  | { kind: 'drop file'; id: string }
  | { kind: 'drop folder'; id: string }
  | (TrashAddition & { unread?: readonly string[] })
  | HeldDrop
  | DanglingDrop
  | { kind: 'leave'; why: string }
)

interface AddedFile {
  kind: 'add file'
  folderId: string
  name: string
  /** Known row of the file, valid if its bytes are still the same. */
  known?: FileRow | undefined
  /** True once its bytes turned out to differ. */
  isOther?: boolean
}

type AdoptOptions = VerifyOptions &
  Pick<FolderDeps, 'clock' | 'random'> & {
    /** Earlier catalogs that may know unknown files and folders; newest first. */
    sources?: readonly Source[]
  }

/** Yields the changes that make the catalog match the volume. Nothing else may change either meanwhile. */
export async function* planAdoption(options: AdoptOptions): AsyncGenerator<Change> {
  const missing: Change[] = []
  const identities = createIdentities(options.catalog, options.sources ?? [])
  for await (const difference of verify(options)) {
    if ('entry' in difference) yield* adopt({ ...options, identities }, difference)
    else if ('file' in difference) yield fileChange(difference)
    else if (difference.problem !== 'folder is missing') yield leave(difference.key, difference.problem)
    else missing.push({ kind: 'drop folder', key: difference.key, id: difference.folder.id })
  }
  // Folders go last, and from below, because their contents are gone by now.
  yield* missing.reverse()
}

const leave = (key: string, why: string): Change => ({ kind: 'leave', key, why })

function fileChange({ key, problem, file }: Extract<Difference, { file: unknown }>): Change {
  if (problem === 'bytes are missing') return { kind: 'drop file', key, id: file.id }
  if (problem === 'size differs' || problem === 'content differs' || problem === 'checksum is malformed')
    return { kind: 'update file', key, id: file.id, why: problem }
  return leave(key, problem)
}

type Unknown = Pick<Extract<Difference, { entry: unknown }>, 'key' | 'parentId' | 'entry'>

async function* adopt(
  options: AdoptOptions & { identities: Identities },
  { key, parentId, entry }: Unknown,
): AsyncGenerator<Change> {
  const { volume, clock, random, identities } = options
  const { name, kind } = entry
  const why = reasonToLeave(key, entry)
  if (why !== undefined) return yield leave(key, why)
  const found = await orUnreadable(volume.identify(key, kind))
  if (!found || found === 'cannot be read') return yield leave(key, 'cannot be read')
  if (kind === 'file')
    return yield { kind: 'add file', key, folderId: parentId, name, known: await identities.fileAt(key) }
  const changedAt = notAfter(clock.now(), found.mtimeMs)
  const known = (await identities.folderAt(key)) ?? {
    id: random.id(),
    madeForKeys: false,
    createdAt: changedAt,
    updatedAt: changedAt,
  }
  const row = { ...known, parentId, name }
  yield { kind: 'add folder', key, row }
  const children = (await orUnreadable(volume.list(key))) ?? []
  if (children === 'cannot be read') return yield leave(key, children)
  for (const child of children)
    yield* adopt(options, { key: joinKey(key, child.name), parentId: row.id, entry: child })
}

type AdoptDeps = Pick<FolderDeps, 'catalog' | 'volume' | 'clock' | 'random'> & {
  /** Visibility of added files; private, because their intended one is unknown. */
  visibility?: Visibility
}

/**
 * Makes the changes, and mends references and running totals. May be interrupted and repeated.
 *
 * @param report Receives each change once it is committed, and each file that could not be read and was left.
 */
export async function applyAdoption(
  deps: AdoptDeps,
  changes: AsyncIterable<Change>,
  report: (change: Change) => void,
): Promise<void> {
  await commitInBatches(deps.catalog, prepared(deps, changes), report)
  for (const drop of dropsOf(await deps.catalog.mend())) report(drop)
  await tidyTrash(deps)
}

async function* prepared(deps: AdoptDeps, changes: AsyncIterable<Change>): AsyncGenerator<Prepared<Change>> {
  for await (const change of changes)
    yield (await prepare(deps, change)) ?? {
      change: leave(change.key, 'why' in change ? change.why : 'cannot be read'),
    }
}

/** Reads the facts that a change needs; `undefined` when there is nothing to do. */
async function prepare(deps: AdoptDeps, change: Change): Promise<Prepared<Change> | undefined> {
  const { files, folders } = deps.catalog
  switch (change.kind) {
    case 'leave':
    case 'drop rows':
      return undefined
    case 'add folder':
      return { change, make: () => folders.insert([change.row]) }
    case 'drop file':
      return { change, make: () => files.remove(change.id) }
    case 'drop folder':
      return { change, make: () => dropFolder(deps, change.id) }
    case 'drop version':
    case 'drop trashed file':
    case 'drop trashed folder':
      return { change, make: () => dropHeld(deps.catalog, change) }
    case 'add file':
      return addFile(deps, change)
    case 'add to trash': {
      const { make, unread } = await prepareTrashItem(deps, change)
      return change.what === 'file' && unread.length > 0 ? undefined : { change: { ...change, unread }, make }
    }
    case 'update file': {
      const make = await updateFile(deps, change)
      return make && { change, make }
    }
  }
}

function* dropFolder({ catalog: { files, folders, grants } }: AdoptDeps, id: string): Work<void> {
  const [file] = yield* files.inFolderAfter(id, '', 1)
  const [folder] = yield* folders.inFolder(id)
  if (file || folder) return
  yield* folders.remove(id)
  yield* grants.removeIn([id])
}

async function addFile(
  deps: AdoptDeps,
  change: AddedFile & { key: string },
): Promise<Prepared<Change> | undefined> {
  const { folderId, name, known } = change
  const found = await readFile(deps, change.key)
  if (!found) return undefined
  const { changedAt, ...content } = found
  // Only equal SHA-256 proves that this is the known file: `mv` keeps size and mtime, and giving a moved
  // private file the identity of a public one would publish it.
  const isOther = known !== undefined && known.sha256 !== content.sha256
  const given = { id: deps.random.id(), folderId, name, uploadedBy: null, ...content }
  const identity =
    known && !isOther
      ? known
      : { ...newFileRow(given, changedAt), visibility: deps.visibility ?? ('private' as const) }
  return {
    change: isOther ? { ...change, known: undefined, isOther } : change,
    make: () => deps.catalog.files.insert([{ ...identity, ...content, folderId, name }]),
  }
}

async function updateFile(
  deps: AdoptDeps,
  { key, id }: { key: string; id: string },
): Promise<Prepared<Change>['make']> {
  const found = await readFile(deps, key)
  if (!found) return undefined
  const { changedAt, ...content } = found
  return function* () {
    yield* deps.catalog.files.update(id, { ...content, facts: null, updatedAt: changedAt })
    yield* deps.catalog.integrity.clear(id)
  }
}

const readFile = ({ volume, clock }: AdoptDeps, key: string) =>
  readContent(volume.openFile({ key }), clock.now())

/** Catalog that files and folders were in before. */
export type Source = Pick<ReadableCatalog, 'files' | 'folders'>

type Identities = ReturnType<typeof createIdentities>

/**
 * Returns the earlier identities of files and folders by their keys. The first source that knows a key
 * decides, even when the file there turns out to be another one: an older source may have it public where it
 * was private since.
 *
 * @param catalog The catalog to add them to. An id in it, or in an earlier source, is not issued twice.
 */
function createIdentities(catalog: Source, sources: readonly Source[]) {
  async function find<Row extends { id: string }>(
    byKey: (source: Source) => Promise<Row | undefined>,
    byId: (source: Source, id: string) => Query<Row | undefined>,
  ): Promise<Row | undefined> {
    const newer = [catalog]
    for (const source of sources) {
      const row = await byKey(source)
      if (row) {
        for (const other of newer) if (await byId(other, row.id)) return undefined
        return row
      }
      newer.push(source)
    }
    return undefined
  }

  return {
    folderAt: (key: string): Promise<FolderRow | undefined> =>
      find(
        async ({ folders }) => folders.byId((await folders.idAt(key.split('/'))) ?? ''),
        ({ folders }, id) => folders.byId(id),
      ),
    /** Returns the file that was at a key. Only its checksum tells if it still is. */
    fileAt: (key: string): Promise<FileRow | undefined> =>
      find(
        async ({ files, folders }) => {
          const names = key.split('/')
          const folderId = await folders.idAt(names.slice(0, -1))
          return folderId === undefined ? undefined : files.byName(folderId, names.at(-1) ?? '')
        },
        ({ files }, id) => files.byId(id),
      ),
  }
}
