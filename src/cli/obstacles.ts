import { type FileChecksum, type HoldfastClient, HoldfastError } from '../client/index.ts'
import { Failure } from './failure.ts'
import { findFolder } from './find.ts'
import { nameOf, parentOf } from './remote.ts'

/** Server files, and the folders with them, that stand where new local files or their folders go. */
export interface Obstacles {
  files: FileChecksum[]
  /** Paths of the folders that stand where files go. */
  folders: string[]
}

/**
 * Returns the obstacles among the files that are only on the server.
 *
 * @param added Paths of the new local files.
 * @param only Files that are only on the server, by path.
 */
export function obstaclesOf(added: readonly string[], only: ReadonlyMap<string, FileChecksum>): Obstacles {
  const paths = new Set(added)
  const parents = new Set(added.flatMap(foldersAbove))
  const files: FileChecksum[] = []
  const folders = new Set<string>()
  for (const [path, file] of only) {
    const folder = foldersAbove(path).find((above) => paths.has(above))
    if (folder !== undefined) folders.add(folder)
    if (folder !== undefined || parents.has(path)) files.push(file)
  }
  return { files, folders: [...folders] }
}

/** Paths of the folders that a path is in, the nearest first. */
function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) above.push(folder)
  return above
}

/**
 * Deletes a folder that has no file left in it, if it exists.
 *
 * @throws {Failure} when it has one.
 */
export async function deleteEmptyFolder(client: HoldfastClient, key: string): Promise<void> {
  const folder = await findFolder(client, key)
  if (!folder) return
  const [file] = await client.folders.checksums({ id: folder.id })
  if (file) throw new Failure(`"${key}" cannot make room for a file: "${file.key}" is in it. Run it again.`)
  await client.folders.delete(folder.id)
}

/**
 * Deletes folders without files that stand where files go: lists of files do not show them.
 *
 * @param keys Keys of the new files.
 * @returns The count of deleted folders.
 */
export async function deleteEmptyFolders(client: HoldfastClient, keys: readonly string[]): Promise<number> {
  let deleted = 0
  for (const [parent, inParent] of Map.groupBy(keys, parentOf)) {
    const names = new Set(inParent.map(nameOf))
    for (const folder of await foldersIn(client, parent)) {
      if (!names.has(folder.name)) continue
      await deleteEmptyFolder(client, folder.key)
      deleted += 1
    }
  }
  return deleted
}

async function foldersIn(client: HoldfastClient, key: string) {
  try {
    return await client.folders.folders({ key })
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return []
    throw error
  }
}
