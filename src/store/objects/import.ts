import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { done, type Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { Visibility } from '../../platform/config.ts'
import { isRefused } from '../../platform/errors.ts'
import { segmentsOf } from '../../platform/names.ts'
import type { Random } from '../../platform/random.ts'
import { MARKER } from '../../volume/layout.ts'
import { CutShort, StoredFile } from '../../volume/stored-file.ts'
import { IN_ITS_PLACE, leftOut, type Taken, UNREADABLE, walkTree } from '../../volume/take-in.ts'
import { notAfter, type StagedFile } from '../content.ts'
import type { Staging } from '../engine.ts'
import type { Store } from '../store.ts'

/** Files and folders that are published together, about. */
const BATCH_ROWS = 250
/** Bytes after which files are published, so that an interrupted import sends few of them again. */
const BATCH_BYTES = 256 * 1024 ** 2
/** Attempts to publish files while others take their names. */
const MAX_TRIES = 10

interface ImportOptions {
  store: Pick<Store, 'createClaim' | 'files' | 'folders' | 'publishUpload' | 'read' | 'stage'>
  /** Folder whose contents are copied. */
  from: string
  /** Names from the root to the target folder. */
  to: readonly string[]
  visibility: Visibility
  now: () => number
  random: Pick<Random, 'id'>
}

/** File whose bytes are a blob that no row refers to yet. */
interface Arrived {
  path: string
  key: string
  staged: StagedFile
  createdAt: number
}

/**
 * Copies a tree of files to the object store, with their times, and publishes them some at a time. It replaces nothing and
 * skips files that were copied before. Servers may run.
 *
 * @throws {Refusal} `unavailable`, `no-space`.
 */
export async function* importTree(options: ImportOptions): AsyncGenerator<Taken> {
  const { store, to } = options
  const from = realpathSync(options.from)
  const target = to.join('/')
  /** Keys of folders to create with the next files. */
  const folders = new Set<string>()
  const enter = async (key: string) => {
    const holder = await store.read(() => holderOf(store, key))
    if (holder === undefined) folders.add(key)
    return holder === undefined || holder === 'folder'
  }
  if (!(await enter(target))) return yield leftOut(target, IN_ITS_PLACE)
  const tree = walkTree({ from, to: target, enter })
  for (let isEnd = false; !isEnd; ) {
    const staging = await store.stage(options.random.id())
    try {
      const arrived: Arrived[] = []
      for (let bytes = 0; arrived.length + folders.size < BATCH_ROWS && bytes < BATCH_BYTES; ) {
        const { value: found, done: isLast } = await tree.next()
        isEnd = isLast === true
        if (!found) break
        if ('outcome' in found) yield found
        else if (found.kind === 'file') {
          const taken = await takeFile(options, staging, { from, ...found })
          if ('outcome' in taken) yield taken
          else arrived.push(taken)
          bytes += 'staged' in taken ? taken.staged.size : 0
        }
      }
      await staging.sync()
      yield* publish(options, arrived, [...folders])
      folders.clear()
    } finally {
      await staging.discard()
    }
  }
}

type Holder = FileRow | 'folder' | 'no folder' | undefined

/** Returns what has a key; `no folder` when a file has the key of a folder above. */
function* holderOf({ files, folders }: ImportOptions['store'], key: string): Work<Holder> {
  if (key === MARKER) return 'no folder'
  let folderId = yield* folders.root()
  const names = segmentsOf(key)
  for (const [index, name] of names.entries()) {
    const folder = yield* folders.byName(folderId, name)
    const file = folder ? undefined : yield* files.byName(folderId, name)
    if (!folder) return file && index < names.length - 1 ? 'no folder' : file
    folderId = folder.id
  }
  return 'folder'
}

/** Sends a file to the object store, unless its key is taken. */
async function takeFile(
  { store, now }: ImportOptions,
  staging: Staging,
  { from, path, key }: { from: string; path: string; key: string },
): Promise<Arrived | Taken> {
  const source = join(from, path)
  const holder = await store.read(() => holderOf(store, key))
  const opened = StoredFile.open(source)
  if (!opened) return leftOut(path, UNREADABLE)
  const { size } = opened
  const createdAt = notAfter(now(), opened.mtimeMs)
  try {
    if (holder === undefined) {
      const limits = { maxBytes: Number.MAX_SAFE_INTEGER, claim: store.createClaim() }
      return { path, key, staged: await staging.receive(opened.chunks(), limits), createdAt }
    }
    opened.close()
    const isCopy = typeof holder === 'object' && (await isCopyOf(holder, { source, size, createdAt }))
    return isCopy ? { path, outcome: 'there already', bytes: size } : leftOut(path, IN_ITS_PLACE)
  } catch (error) {
    if (!(error instanceof CutShort)) throw error
    return leftOut(path, UNREADABLE)
  }
}

/** True for a row of a file's bytes. Its time proves that nothing changed since it was copied. */
async function isCopyOf(
  { createdAt, updatedAt, ...row }: FileRow,
  file: { source: string; size: number; createdAt: number },
): Promise<boolean> {
  if (row.size !== file.size) return false
  if (createdAt === file.createdAt && updatedAt === file.createdAt) return true
  return (await StoredFile.open(file.source)?.sha256()) === row.sha256
}

/** Publishes files and folders, all but those whose keys were taken meanwhile. */
async function* publish(
  { store, visibility }: ImportOptions,
  arrived: readonly Arrived[],
  keys: readonly string[],
): AsyncGenerator<Taken> {
  const isFree = async (key: string) => (await store.read(() => holderOf(store, key))) === undefined
  let files = arrived
  let folders = keys
  for (let tries = 1; files.length + folders.length > 0; tries += 1) {
    const placed = files.map(({ key, staged, createdAt }) => ({ ...placeOf(key), staged, createdAt }))
    try {
      await store.publishUpload({
        folders: [...folders.map(segmentsOf), ...placed.map(({ folder }) => folder)],
        files: placed,
        uploadedBy: null,
        decide: () => done({ visibility }),
      })
      for (const { path, staged } of files) yield { path, outcome: 'copied', bytes: staged.size }
      return
    } catch (error) {
      if (!isRefused(error, 409) || tries === MAX_TRIES) throw error
    }
    const taken = new Set<string>()
    for (const key of [...files.map(({ key }) => key), ...folders]) if (!(await isFree(key))) taken.add(key)
    for (const { path, key } of files) if (taken.has(key)) yield leftOut(path, IN_ITS_PLACE)
    files = files.filter(({ key }) => !taken.has(key))
    folders = folders.filter((key) => !taken.has(key))
  }
}

function placeOf(key: string): { folder: string[]; name: string } {
  const names = key.split('/')
  return { folder: names.slice(0, -1), name: names.at(-1) ?? '' }
}
