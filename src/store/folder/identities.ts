import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { Query } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'

/** Catalog that files and folders were in before. */
export type Source = Pick<ReadableCatalog, 'files' | 'folders'>

export type Identities = ReturnType<typeof createIdentities>

/**
 * Returns the earlier identities of files and folders by their keys. The first source that knows a key
 * decides, even when the file there turns out to be another one: an older source may have it public where it
 * was private since.
 *
 * @param catalog The catalog to add them to. An id in it, or in an earlier source, is not issued twice.
 */
export function createIdentities(catalog: Source, sources: readonly Source[]) {
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
