import type { Context } from '../../access/context.ts'
import { Refusal } from '../../platform/errors.ts'
import { assertConnected } from '../../platform/slots.ts'
import { CutShort, SMALL_BYTES, type StoredFile } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import type { ZipContent, ZipEntry } from '../../zip/entry.ts'
import { keyOfFile } from '../files/service.ts'

/** An archive that is about to be sent. */
export interface Archive {
  /** The name to save it under. */
  name: string
  /** Exact length in bytes. */
  length: number
  /** Taken once, from the first to the last. */
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>
  /** Must be called when the entries are not needed any more, taken or not. */
  close: () => void
}

/** One attempt to make an archive for a client. */
export interface Attempt {
  /** Aborted when the client disconnects. */
  leaving: AbortSignal
  /** Ids of files whose bytes could not be read when it was their turn in an earlier attempt. */
  unreadable: ReadonlySet<string>
  /** Whether a file that was deleted since the snapshot is left out instead of refusing the archive. */
  isLast: boolean
}

/** A file is not what it was when its archive was measured. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged'
  /** Its id, when its bytes cannot be read. */
  readonly unreadable: string | undefined

  constructor({ unreadable, cause }: { unreadable?: string; cause?: unknown } = {}) {
    super('A file changed while it was archived', { cause })
    this.unreadable = unreadable
  }
}

/** A file as an archive tells of it: with the length and the checksum of what is on the disk. */
export type ArchivedFile = Pick<FileRow, 'id' | 'name' | 'size' | 'crc32' | 'updatedAt'>

/**
 * Returns the file as it is on the disk, which may have been edited there; `undefined` when it is missing, cannot be
 * read or is no regular file.
 */
export async function measure<File extends ArchivedFile>(
  file: File,
  open: () => StoredFile | undefined,
  { leaving, unreadable }: Attempt,
): Promise<File | undefined> {
  if (unreadable.has(file.id)) return undefined
  try {
    const opened = open()
    if (!opened) return undefined
    const { size } = opened
    if (size !== file.size) return { ...file, size, crc32: await opened.crc32(pauseFor(leaving)) }
    opened.close()
    return file
  } catch (error) {
    if (error instanceof Refusal) throw error
    return undefined
  }
}

const pauseFor = (leaving: AbortSignal) => async () => assertConnected(leaving)

/** Memory that small files are read to, one after the other. */
export class ContentBuffer {
  #bytes = new Uint8Array(0)

  /** Returns memory for `size` bytes at least, if a file of that size is read in one piece. */
  atLeast(size: number): Uint8Array<ArrayBuffer> {
    if (size <= SMALL_BYTES && this.#bytes.length < size)
      this.#bytes = new Uint8Array(Math.min(SMALL_BYTES, 2 * size))
    return this.#bytes
  }
}

/** The entry of a file that `measure` has found. */
export function entryOf(
  file: ArchivedFile,
  path: string,
  { open, buffer }: { open: () => StoredFile | undefined; buffer: ContentBuffer },
): ZipEntry {
  const { size, crc32, updatedAt } = file
  return { path, size, crc32, modifiedAt: updatedAt, open: () => contentOf(file, open, buffer) }
}

/** @throws {FileChanged} when the file is not there any more, cannot be read or has another length. */
function contentOf(
  { id, size }: ArchivedFile,
  open: () => StoredFile | undefined,
  buffer: ContentBuffer,
): ZipContent {
  try {
    const opened = open()
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

/** A file's bytes, wherever it is by now. */
export function openById(deps: Context, id: string): StoredFile | undefined {
  const file = deps.store.files.byId(id)
  return file && deps.store.openFile(keyOfFile(deps, file))
}
