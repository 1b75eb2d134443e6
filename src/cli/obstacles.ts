import { type FileChecksum, type HoldfastClient, HoldfastError } from '../client/index.ts'
import { Failure } from './failure.ts'
import { findFolder } from './find.ts'
import { parentOf } from './remote.ts'

/** Files and folders of the server at the paths of new local files or their folders. */
export interface Obstacles {
  files: FileChecksum[]
  /** Paths of the folders at the paths of new files. */
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

/** Returns the paths of the folders above a path, nearest first. */
function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) above.push(folder)
  return above
}

/**
 * Deletes a folder without files permanently, if it exists.
 *
 * @throws {Failure} when it has files.
 */
export async function deleteEmptyFolder(client: HoldfastClient, key: string): Promise<void> {
  const folder = await findFolder(client, key)
  if (!folder) return
  const [file] = await client.folders.checksums({ id: folder.id })
  if (file)
    throw new Failure(
      `"${key}" cannot be replaced by a file: it contains "${file.key}". Run the command again.`,
    )
  await client.folders.delete(folder.id)
}

/**
 * Deletes folders without files at the paths of new files. Lists of files do not show such folders.
 *
 * @param keys Object keys of the new files.
 * @returns The number of deleted folders.
 */
export async function deleteEmptyFolders(client: HoldfastClient, keys: readonly string[]): Promise<number> {
  let deleted = 0
  for (const [parent, inParent] of Map.groupBy(keys, parentOf)) {
    const taken = new Set(inParent)
    for (const folder of await foldersIn(client, parent)) {
      if (!taken.has(folder.key)) continue
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
