import type { TreeContext } from '../../access/context.ts'
import { refuseForNow } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import type { PlacedFolder } from '../../views/folders.ts'
import type { ZipExtent } from '../../zip/entry.ts'
import { ZipLength } from '../../zip/length.ts'
import type { ArchivedFile } from './archive.ts'

/** Files of a folder in columns: fewer bytes than rows, and less time to write and read. */
interface Columns {
  ids: string
  /** Names in order, between slashes: none has one. */
  names: string
  sizes: number[]
  crc32s: number[]
  updatedAts: number[]
  /** Ids of blobs, if the files have any. */
  blobIds?: (string | null)[]
}

/** A folder, or some files of the last one, by name. */
type PlannedSlice = { folder: PlacedFolder } | { files: ArchivedFile[] }

/**
 * Entries of an archive, which one walk of a snapshot plans and the sending reads. The plan outlives the snapshot: a
 * snapshot that waited for a slow client would keep the write-ahead log from being checkpointed. It takes 128 KiB of
 * memory at most and spills to disk beyond, about 80 bytes for each file.
 */
export class ArchivePlan {
  readonly #spool: ReturnType<TreeContext['store']['createSpool']>
  readonly #encoder = new TextEncoder()
  readonly #length = new ZipLength()
  #path = ''

  constructor({ store }: Pick<TreeContext, 'store'>) {
    this.#spool = store.createSpool()
  }

  /** Returns the exact length of the archive in bytes. */
  get length(): number {
    return this.#length.total()
  }

  /** Counts an entry that is sent before those of the plan. */
  count(entry: ZipExtent): void {
    this.#length.add(entry)
  }

  /** @throws {Refusal} `unavailable` when there is no room for more of it. */
  async addFolder(folder: PlacedFolder): Promise<void> {
    this.#path = folder.path
    this.#length.add({ path: `${folder.path}/`, size: 0 })
    await this.#append(folder)
  }

  /**
   * Adds files of the folder that was added last.
   *
   * @throws {Refusal} `unavailable` when there is no room for more of it.
   */
  async addFiles(files: readonly ArchivedFile[]): Promise<void> {
    if (files.length === 0) return
    const columns: Columns = { ids: '', names: '', sizes: [], crc32s: [], updatedAts: [] }
    for (const { id, name, size, crc32, updatedAt } of files) {
      this.#length.add({ path: joinKey(this.#path, name), size })
      columns.ids += `/${id}`
      columns.names += `/${name}`
      columns.sizes.push(size)
      columns.crc32s.push(crc32)
      columns.updatedAts.push(updatedAt)
    }
    if (files.some(({ blobId }) => blobId !== null)) columns.blobIds = files.map(({ blobId }) => blobId)
    await this.#append(columns)
  }

  async #append(slice: PlacedFolder | Columns): Promise<void> {
    if (await this.#spool.append(this.#encoder.encode(`${JSON.stringify(slice)}\n`))) return
    throw refuseForNow(
      'There is no room to prepare an archive of so many files now, try again soon',
      undefined,
    )
  }

  /** Takes the slices, in the order in which they were added. */
  async *slices(): AsyncGenerator<PlannedSlice, void> {
    const decoder = new TextDecoder()
    let text = ''
    for (let bytes = await this.#spool.take(); bytes; bytes = await this.#spool.take()) {
      text += decoder.decode(bytes, { stream: true })
      // Frees the memory now: the garbage collector would leave the chunks of several archives behind.
      bytes.buffer.transfer(0)
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) yield toSlice(line)
    }
  }

  close(): void {
    void this.#spool.close()
  }
}

/** Reads what `#append` has written. */
function toSlice(line: string): PlannedSlice {
  const slice = JSON.parse(line) as PlacedFolder | Columns
  if ('path' in slice) return { folder: slice }
  const { sizes, crc32s, updatedAts, blobIds } = slice
  const [ids, names] = [slice.ids.split('/').slice(1), slice.names.split('/').slice(1)]
  return {
    files: names.map((name, index) => ({
      id: ids[index] ?? '',
      name,
      size: sizes[index] ?? 0,
      crc32: crc32s[index] ?? 0,
      blobId: blobIds?.[index] ?? null,
      updatedAt: updatedAts[index] ?? 0,
    })),
  }
}
