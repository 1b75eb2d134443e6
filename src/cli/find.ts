import { type Folder, type HoldfastClient, HoldfastError, type HoldfastFile } from '../client/index.ts'
import { Failure } from './failure.ts'
import { parentOf, tidy } from './remote.ts'

/** The file or folder at an object key. */
export type Found = { file: HoldfastFile } | { folder: Folder }

/** Returns the file at an object key. */
export async function findFile(client: HoldfastClient, key: string): Promise<HoldfastFile | undefined> {
  try {
    return await client.files.get({ key: tidy(key) })
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return undefined
    throw error
  }
}

/** Returns the folder at an object key. The root has no record of its own. */
export async function findFolder(client: HoldfastClient, key: string): Promise<Folder | undefined> {
  const tidied = tidy(key)
  try {
    const siblings = await client.folders.folders({ key: parentOf(tidied) })
    // A caller that reaches only some folders finds them in each folder above, whatever their depth.
    return siblings.find((folder) => folder.key === tidied)
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return undefined
    throw error
  }
}

/** Returns the file or folder at an object key. @throws {Failure} when there is none. */
export async function find(client: HoldfastClient, key: string): Promise<Found> {
  const file = await findFile(client, key)
  if (file) return { file }
  const folder = await findFolder(client, key)
  if (folder) return { folder }
  throw nothingAt(key)
}

export const nothingAt = (key: string) => new Failure(`There is no file or folder "${key}"`)

/** Folder in which a caller has rights, by its key. */
interface Granted {
  key: string
  rights: readonly string[]
}

/** Returns the folders that a caller reaches, and those inside in which it has more rights; undefined for everything. */
export async function grantedFolders(client: HoldfastClient): Promise<Granted[] | undefined> {
  const { folders, nested = [] } = await client.account.get()
  if (!folders) return undefined
  return [...folders, ...nested].flatMap(({ key, rights }) => (key === null ? [] : [{ key, rights }]))
}

/** Returns true for an object key above the folders that a caller reaches. */
export async function isAboveGranted(client: HoldfastClient, key: string): Promise<boolean> {
  const granted = (await grantedFolders(client)) ?? []
  return granted.some((folder) => folder.key.startsWith(`${key}/`))
}

/**
 * Returns the key of the folder that receives files without a target: the root, or the only folder that a caller
 * with folders of its own can change.
 *
 * @throws {Failure} when there is none, or several.
 */
export async function defaultFolder(client: HoldfastClient): Promise<string> {
  const granted = await grantedFolders(client)
  if (!granted) return ''
  const changed = granted.flatMap(({ key, rights }) => (rights.includes('write') ? [key] : []))
  const keys = changed.filter((key) => !changed.some((above) => key.startsWith(`${above}/`)))
  if (keys[0] === undefined) throw new Failure('You cannot add files to any folder')
  if (keys.length > 1) throw new Failure(`Name a folder: you can add files to "${keys.join('", "')}"`)
  return keys[0]
}
