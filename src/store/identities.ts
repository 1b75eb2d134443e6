import type { FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import type { ReadableCatalog } from '../catalog/open.ts'

/** A catalog that files and folders were in before. */
export type Source = Pick<ReadableCatalog, 'files' | 'folders'>

export type Identities = ReturnType<typeof createIdentities>

/**
 * What files and folders were, by their keys. Of several sources the first that knows a key has the word, also
 * when the file there turns out to be another one: an older source may have it public where it was private since.
 *
 * @param catalog What they are to be part of. An id that it has, or a source before, is not given twice.
 */
export function createIdentities(catalog: Source, sources: readonly Source[]) {
  function find<Row extends { id: string }>(
    byKey: (source: Source) => Row | undefined,
    byId: (source: Source, id: string) => Row | undefined,
  ): Row | undefined {
    const newer = [catalog]
    for (const source of sources) {
      const row = byKey(source)
      if (row) return newer.some((other) => byId(other, row.id)) ? undefined : row
      newer.push(source)
    }
    return undefined
  }

  return {
    folderAt: (key: string): FolderRow | undefined =>
      find(
        ({ folders }) => folders.byId(folders.idAt(key.split('/')) ?? ''),
        ({ folders }, id) => folders.byId(id),
      ),
    /** What stood at a key. Whether it still does, its checksum must tell. */
    fileAt: (key: string): FileRow | undefined =>
      find(
        ({ files, folders }) => {
          const names = key.split('/')
          const folderId = folders.idAt(names.slice(0, -1))
          return folderId === undefined ? undefined : files.byName(folderId, names.at(-1) ?? '')
        },
        ({ files }, id) => files.byId(id),
      ),
  }
}
