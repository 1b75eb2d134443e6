import { type Folder, type HoldfastClient, HoldfastError, type HoldfastFile } from '../client/index.ts'
import { Failure } from './failure.ts'
import { nameOf, parentOf, tidy } from './remote.ts'

/** What stands at a key. */
export type Found = { file: HoldfastFile } | { folder: Folder }

/** The file at a key, if there is one. */
export async function findFile(client: HoldfastClient, key: string): Promise<HoldfastFile | undefined> {
  try {
    return await client.files.get({ key: tidy(key) })
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return undefined
    throw error
  }
}

/** The folder at a key, if there is one; the root has no record of its own. */
export async function findFolder(client: HoldfastClient, key: string): Promise<Folder | undefined> {
  const tidied = tidy(key)
  try {
    const siblings = await client.folders.folders({ key: parentOf(tidied) })
    return siblings.find(({ name }) => name === nameOf(tidied))
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return undefined
    throw error
  }
}

/** @throws {Failure} when there is nothing at the key. */
export async function find(client: HoldfastClient, key: string): Promise<Found> {
  const file = await findFile(client, key)
  if (file) return { file }
  const folder = await findFolder(client, key)
  if (folder) return { folder }
  throw new Failure(`There is no file or folder "${key}"`)
}
