import type { SQLQueryBindings } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { blobTime, createBlobId } from '../../src/blobs/blob.ts'
import type { S3Client } from '../../src/s3/client.ts'
import { bytesPayload } from '../../src/s3/payload.ts'
import { eventually } from './eventually.ts'
import { foldersOf } from './kind.ts'
import { openRows } from './rows.ts'
import type { Place, Stored } from './stored.ts'

interface FileRow {
  id: string
  folder_id: string
  name: string
  blob_id: string
  size: number
}

/** Key of a file or folder as rows spell it, in the tree or in the trash. */
interface Found<Row> {
  row: Row
  key: string
  isTrashed: boolean
}

/** Returns the path of a local copy. */
const cachedPath = (dataPath: string, id: string) => join(dataPath, 'cache', id.slice(-1), id)

/** Objects that rows lead to. */
export class StoredObjects implements Stored {
  readonly #dataPath: string
  readonly #client: S3Client
  readonly #prefix: string

  constructor(dataPath: string, { client, prefix }: { client: S3Client; prefix: string }) {
    this.#dataPath = dataPath
    this.#client = client
    this.#prefix = `${prefix}blobs/`
  }

  async keys(): Promise<string[]> {
    const present = await this.#present()
    const files = this.#files().filter(({ row, isTrashed }) => !isTrashed && present.has(row.blob_id))
    const folders = this.#folders().filter(({ key, isTrashed }) => !isTrashed && key !== '')
    return [...[...files, ...folders].map(({ key }) => key), ...(await this.#strays(present))].sort()
  }

  async trashed(): Promise<string[]> {
    const present = await this.#present()
    const files = this.#files().filter(({ row, isTrashed }) => isTrashed && present.has(row.blob_id))
    return files.map(({ key }) => key).sort()
  }

  async versions(): Promise<string[]> {
    const present = await this.#present()
    const versions = this.#all<{ id: string; blob_id: string }>('SELECT id, blob_id FROM versions')
    return versions.filter(({ blob_id }) => present.has(blob_id)).map(({ id }) => id)
  }

  async read(place: Place): Promise<Buffer> {
    const { id, size } = this.#blobAt(place)
    const chunks = await this.#client.get(this.#prefix + id, size, (chunks) => Array.fromAsync(chunks))
    if (!chunks) throw new Error(`The object ${id} is missing`)
    return Buffer.concat(chunks)
  }

  mtimeMs(file: { key: string }): number {
    return blobTime(this.#blobAt(file).id)
  }

  localPath(file: { key: string }): string {
    return cachedPath(this.#dataPath, this.#blobAt(file).id)
  }

  async plant(file: { key: string }, content: string | Uint8Array, mtimeMs?: number): Promise<void> {
    const { id: old } = this.#blobAt(file)
    const bytes = new Uint8Array(Buffer.from(content))
    const id = createBlobId(mtimeMs ?? Math.floor(blobTime(old)), {
      bytes: (count) => new Uint8Array(count).map((_, index) => (index < 8 ? 0 : Math.random() * 256)),
    })
    await this.#client.put(this.#prefix + id, bytesPayload(bytes))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const row = [id, bytes.length, crc32(bytes), sha256, old]
    this.#run(
      'INSERT INTO blobs SELECT ?, state, node, upload_id, ?, created_at, not_before FROM blobs WHERE id = ?',
      [id, bytes.length, old],
    )
    this.#run('UPDATE files SET blob_id = ?, size = ?, crc32 = ?, sha256 = ? WHERE blob_id = ?', row)
    await this.#remove(old)
    this.#run('DELETE FROM blobs WHERE id = ?', [old])
  }

  async setModified(file: { key: string }, mtimeMs: number): Promise<void> {
    await this.plant(file, new Uint8Array(await this.read(file)), mtimeMs)
  }

  async damage(place: Place, content: string | Uint8Array): Promise<void> {
    const { id } = this.#blobAt(place)
    await this.#remove(id)
    await this.#client.put(this.#prefix + id, bytesPayload(new Uint8Array(Buffer.from(content))))
  }

  async lose(place: Place): Promise<void> {
    await this.#remove(this.#blobAt(place).id)
  }

  /** Removes an object and its local copy, which may be on its way to the cache. */
  async #remove(id: string): Promise<void> {
    await this.#client.remove(this.#prefix + id)
    for (const folder of foldersOf(this.#dataPath)) {
      const unfinished = join(folder, 'cache', 'unfinished')
      await eventually(() => !existsSync(unfinished) || !readdirSync(unfinished).includes(id))
      rmSync(cachedPath(folder, id), { force: true })
    }
  }

  /** Returns the ids of all objects. */
  async #present(): Promise<Set<string>> {
    const objects = await Array.fromAsync(this.#client.list(this.#prefix))
    return new Set(objects.map(({ key }) => key.slice(this.#prefix.length)))
  }

  /** Returns the ids of blobs that are to be removed. */
  #doomed(): Set<string> {
    const rows = this.#all<{ id: string }>("SELECT id FROM blobs WHERE state = 'doomed'")
    return new Set(rows.map(({ id }) => id))
  }

  /** Names objects that no row leads to, not even one that has them removed, and kept blobs that no file has. */
  async #strays(present: Set<string>): Promise<string[]> {
    const doomed = this.#doomed()
    const used = new Set(
      this.#all<{ blob_id: string }>(
        'SELECT blob_id FROM files UNION SELECT blob_id FROM trashed_files UNION SELECT blob_id FROM versions',
      ).map(({ blob_id }) => blob_id),
    )
    const strays = [...present].filter((id) => !doomed.has(id) && !used.has(id))
    // A sweep may have removed objects and rows since the objects were listed.
    const left = strays.length > 0 ? await this.#present() : present
    return strays.filter((id) => left.has(id)).map((id) => `stray object ${id}`)
  }

  #blobAt(place: Place): { id: string; size: number } {
    const row =
      'versionId' in place
        ? this.#all<FileRow>('SELECT * FROM versions WHERE id = ?', [place.versionId])[0]
        : this.#files().find(({ key, isTrashed }) =>
            'key' in place ? key === place.key && !isTrashed : key === place.trashed && isTrashed,
          )?.row
    if (!row) throw new Error(`Nothing is stored at ${JSON.stringify(place)}`)
    return { id: row.blob_id, size: row.size }
  }

  #files(): Found<FileRow>[] {
    const rows = this.#all<FileRow>(
      `SELECT id, folder_id, name, blob_id, size FROM files
       UNION ALL SELECT id, '', name, blob_id, size FROM trashed_files WHERE id = trash_id
       UNION ALL SELECT id, folder_id, name, blob_id, size FROM trashed_files WHERE id <> trash_id`,
    )
    const folders = new Map(this.#folders().map((folder) => [folder.row.id, folder]))
    return rows.map((row) => {
      const { key = '', isTrashed = true } = folders.get(row.folder_id) ?? {}
      return { row, key: join(key, row.name), isTrashed }
    })
  }

  #folders(): Found<{ id: string; name: string; parent_id: string | null }>[] {
    const rows = this.#all<{ id: string; name: string; parent_id: string | null }>(
      `SELECT all_folders.id, COALESCE(trash.name, all_folders.name) AS name, all_folders.parent_id
       FROM (SELECT id, name, parent_id FROM folders UNION ALL SELECT id, name, parent_id FROM trashed_folders)
       AS all_folders LEFT JOIN trash ON trash.id = all_folders.id`,
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return rows.map((row) => {
      const names: string[] = []
      let folder = row
      for (;;) {
        const parent = byId.get(folder.parent_id ?? '')
        if (folder.parent_id === null) break
        names.unshift(folder.name)
        if (!parent || parent === folder) break
        folder = parent
      }
      return { row, key: names.join('/'), isTrashed: folder.parent_id !== null }
    })
  }

  #all<Row>(text: string, values: SQLQueryBindings[] = []): Row[] {
    using database = openRows({ dataPath: this.#dataPath })
    return database.query<Row>(text).all(...values)
  }

  #run(text: string, values: SQLQueryBindings[]): void {
    using database = openRows({ dataPath: this.#dataPath })
    database.run(text, values)
  }
}
