import type { TreeContext } from '../../access/context.ts'
import { Refusal } from '../../platform/errors.ts'
import { assertConnected, type Slots } from '../../platform/slots.ts'
import { CutShort, type FileState, type OpenedFile, SMALL_BYTES } from '../../store/bytes.ts'
import { isChanged } from '../../store/content.ts'
import type { FileRow } from '../../store/rows.ts'
import { keyOfFile } from '../../views/files.ts'
import type { ZipContent, ZipEntry } from '../../zip/entry.ts'

/** Archive that is about to be sent. */
export interface Archive {
  /** Name to save it under. */
  name: string
  /** Exact length in bytes. */
  length: number
  /** Iterated once. */
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>
  /** Frees the entries, iterated or not. Must be called. */
  close: () => void
}

/** Attempt to make an archive for a client. */
export interface Attempt {
  /** Aborted when the client disconnects. */
  leaving: AbortSignal
  /** Places of blobs that are opened before it is their turn. */
  placesAhead: Slots
  /** Ids of files that could not be read in an earlier attempt. */
  unreadable: ReadonlySet<string>
  /** Ids of files whose bytes were found damaged or missing. A lost object may be back since. */
  damaged: ReadonlySet<string>
  /** True when a file deleted since the snapshot is left out; else it ends the attempt. */
  isLast: boolean
}

/** Error of a file that changed after its archive was planned. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged'
  /** Id of the file, when its bytes cannot be read. */
  readonly unreadable: string | undefined

  constructor({ unreadable, cause }: { unreadable?: string; cause?: unknown } = {}) {
    super('A file changed while it was archived', { cause })
    this.unreadable = unreadable
  }
}

/** File in an archive, with the length and checksum of its bytes on disk. */
export type ArchivedFile = Pick<FileRow, 'id' | 'name' | 'size' | 'crc32' | 'blobId' | 'updatedAt'>

/** File as the catalog knows it. */
export type CatalogedFile = ArchivedFile & Pick<FileRow, 'createdAt'>

/** Returns true if a file on disk has the length and time that it was stored with. */
export const isAsStored = (found: FileState, file: CatalogedFile): boolean =>
  found.size === file.size && !isChanged(found, file)

/**
 * Returns the file as it is on disk, where it may have been edited; `undefined` when it is missing, unreadable or no
 * regular file.
 *
 * @throws {FileChanged} when a request has replaced its bytes: those belong to a later moment than the other files.
 */
export async function measure<File extends CatalogedFile>(
  deps: TreeContext,
  file: File,
  open: () => Promise<OpenedFile | undefined>,
  { leaving, unreadable, damaged, isLast }: Attempt,
): Promise<File | undefined> {
  if (unreadable.has(file.id)) return undefined
  // A blob never changes.
  const isBlob = file.blobId !== null
  if (isBlob && !damaged.has(file.id)) return file
  try {
    const opened = await open()
    if (!opened) return undefined
    const { size } = opened
    if (isBlob || isAsStored(opened, file)) {
      opened.close()
      return file
    }
    const crc32 = await opened.crc32(pauseFor(leaving))
    if (!isLast && (await isReplaced(deps, file))) throw new FileChanged()
    return { ...file, size, crc32 }
  } catch (error) {
    if (error instanceof Refusal || error instanceof FileChanged) throw error
    return undefined
  }
}

/** Returns true if the catalog has other bytes for a file by now. */
async function isReplaced({ store }: TreeContext, { id, size, crc32 }: CatalogedFile): Promise<boolean> {
  const row = await store.read(() => store.files.byId(id))
  return row !== undefined && (row.size !== size || row.crc32 !== crc32)
}

const pauseFor = (leaving: AbortSignal) => async () => assertConnected(leaving)

/** Reusable memory for the bytes of small files. */
export class ContentBuffer {
  #bytes = new Uint8Array(0)

  /** Returns memory for at least `size` bytes, if a file of that size is read in one piece. */
  atLeast(size: number): Uint8Array<ArrayBuffer> {
    if (size <= SMALL_BYTES && this.#bytes.length < size)
      this.#bytes = new Uint8Array(Math.min(SMALL_BYTES, 2 * size))
    return this.#bytes
  }
}

/** Returns the entry of a file that can be sent. */
export function entryOf(
  file: ArchivedFile,
  path: string,
  { open, buffer }: { open: () => Promise<OpenedFile | undefined>; buffer: ContentBuffer },
): ZipEntry {
  const { size, crc32, updatedAt } = file
  return { path, size, crc32, modifiedAt: updatedAt, open: () => contentOf(file, open, buffer) }
}

/** @throws {FileChanged} when the file is missing, unreadable or of another length. */
async function contentOf(
  { id, size }: ArchivedFile,
  open: () => Promise<OpenedFile | undefined>,
  buffer: ContentBuffer,
): Promise<ZipContent> {
  try {
    const opened = await open()
    if (!opened) throw new FileChanged({ unreadable: id })
    if (opened.size === size && size > 0) return opened.body(0, size - 1, buffer.atLeast(size))
    opened.close()
    if (opened.size !== size) throw new FileChanged()
    return new Uint8Array()
  } catch (error) {
    if (error instanceof FileChanged || error instanceof Refusal) throw error
    if (error instanceof CutShort) throw new FileChanged({ cause: error })
    throw new FileChanged({ unreadable: id, cause: error })
  }
}

/** Opens a file: its blob, which never changes, or what is at its present key. */
export async function openByRow(deps: TreeContext, row: ArchivedFile): Promise<OpenedFile | undefined> {
  const { id, name, blobId, size } = row
  return blobId === null ? openById(deps, id) : deps.store.openFile({ key: name, blobId, size })
}

/** Opens a file at its present key. */
export async function openById(deps: TreeContext, id: string): Promise<OpenedFile | undefined> {
  const file = await deps.store.read(function* () {
    const row = yield* deps.store.files.byId(id)
    return row && { ...row, key: yield* keyOfFile(deps, row) }
  })
  return file && deps.store.openFile(file)
}
