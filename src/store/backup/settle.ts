import type { Catalog } from '../../catalog/catalog.ts'
import type { Query } from '../../catalog/engine/query.ts'
import { nameProblem } from '../../platform/names.ts'
import type { Random } from '../../platform/random.ts'
import { rowsOf } from '../batches.ts'
import { purge } from '../folder/remove.ts'
import { moveRowsToTrash } from '../trash/rows.ts'

/**
 * Removes everything under way from a snapshot: folders being deleted, intents, and unfinished uploads. Folders on their way to or from the trash are in it. A
 * start would execute them on a volume that was never in the middle of them, at paths that the snapshot
 * names.
 */
export async function settleSnapshot(catalog: Catalog): Promise<void> {
  for (const { id } of await catalog.folders.detached()) {
    if (await catalog.trash.byId(id)) await moveRowsToTrash(catalog, id)
    else await purge({ catalog }, { folderId: id, below: '' })
  }
  await catalog.transact(function* () {
    for (const { id } of yield* catalog.intents.all()) yield* catalog.intents.remove(id)
    for (const { id } of yield* catalog.trash.purging()) yield* catalog.trash.removeItem(id)
    yield* catalog.resumables.removeAll()
  })
}

/** File or folder that was renamed because its name is not valid. */
export interface Renamed {
  from: string
  /** Reason, in words that follow the name. */
  problem: string
  to: string
}

/**
 * Renames files and folders with invalid names, those in the trash included. A name such as `../x` in a tampered
 * snapshot would lead out of the data folder.
 */
export async function renameInvalid(catalog: Catalog, random: Random): Promise<Renamed[]> {
  const root = await catalog.folders.root()
  const renamed: Renamed[] = []
  for (const table of tablesOf(catalog))
    for await (const { id, name } of rowsOf(table.after)) {
      const problem = id === root ? undefined : nameProblem(name)
      if (problem === undefined) continue
      const to = `restored-${random.id()}`
      await catalog.transact(() => table.rename(id, to))
      renamed.push({ from: name, problem, to })
    }
  return renamed
}

interface Named {
  id: string
  name: string
}

interface NamedTable {
  after: (id: string, limit: number) => Query<Named[]>
  rename: (id: string, name: string) => Query<void>
}

const tablesOf = ({ folders, files, trash }: Catalog): NamedTable[] => [
  { after: folders.after, rename: (id, name) => folders.update(id, { name }) },
  { after: files.after, rename: (id, name) => files.update(id, { name }) },
  { after: trash.foldersAfter, rename: trash.renameFolder },
  { after: trash.filesAfter, rename: trash.renameFile },
]
