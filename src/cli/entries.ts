import type { HoldfastClient, HoldfastFile } from '../client/index.ts'
import { Failure } from './failure.ts'
import { type Found, find, findFile, findFolder } from './find.ts'
import { nameOf, parentOf, type Remote, tidy } from './remote.ts'
import { count } from './terminal.ts'
import { type DeleteOptions, discard } from './trash.ts'

/** Prints the folders and files in a folder by name: `ls [folder]`. */
export async function list(
  { client: connect, terminal }: Remote,
  key: string,
  { long, json }: { long: boolean; json: boolean },
): Promise<number> {
  const client = connect()
  const which = { key: tidy(key) }
  const show = long ? longLine : ({ name }: HoldfastFile) => name
  for (const folder of await client.folders.folders(which))
    await (json
      ? terminal.printJson(folder)
      : terminal.print(`${long ? ' '.repeat(LONG_COLUMNS) : ''}${folder.name}/`))
  for await (const file of client.folders.files(which, { orderBy: 'name', orderDirection: 'ASC' }))
    await (json ? terminal.printJson(file) : terminal.print(show(file)))
  return 0
}

const SIZE_COLUMNS = 14
const LONG_COLUMNS = 'private  '.length + SIZE_COLUMNS + '  YYYY-MM-DD HH:MM:SS  '.length

const longLine = ({ visibility, size, updatedAt, name }: HoldfastFile) =>
  `${visibility.padEnd(7)}  ${String(size).padStart(SIZE_COLUMNS)}  ${updatedAt}  ${name}`

/** Moves files to the trash, and with `-r` folders with their content: `rm <keys...>`. */
export async function remove(
  { client: connect, terminal }: Remote,
  keys: readonly string[],
  { recursive, permanent }: DeleteOptions & { recursive: boolean },
): Promise<number> {
  const client = connect()
  // All keys are resolved first, so that a typo deletes nothing.
  const found: Found[] = []
  for (const key of keys) found.push(await find(client, key))
  const files = found.flatMap((entry) => ('file' in entry ? [entry.file] : []))
  const folders = found.flatMap((entry) => ('folder' in entry ? [entry.folder] : []))
  if (folders[0] && !recursive)
    throw new Failure(`"${folders[0].key}" is a folder: -r deletes it with everything in it`)
  await discard(client, { files, folders }, { permanent })
  const items = count(found.length, 'item')
  terminal.warn(permanent ? `Deleted ${items} permanently` : `Moved ${items} to the trash`)
  return 0
}

/** Moves a file or folder into a folder, or renames it: `mv <from> <to>`. */
export async function move({ client: connect }: Remote, from: string, to: string): Promise<number> {
  const client = connect()
  const found = await find(client, from)
  const target = await targetOf(client, found, to)
  const calls = 'file' in found ? client.files : client.folders
  const { id, key, name } = 'file' in found ? found.file : found.folder
  const isMoved = parentOf(target) !== parentOf(key)
  if (isMoved) await calls.move(id, { folder: parentOf(target) })
  try {
    if (nameOf(target) !== name) await calls.rename(id, nameOf(target))
  } catch (error) {
    if (isMoved) await calls.move(id, { folder: parentOf(key) })
    throw error
  }
  return 0
}

/** Returns the object key that `to` means. An existing folder, or a slash at the end, means a place in it. */
async function targetOf(client: HoldfastClient, found: Found, to: string): Promise<string> {
  const name = 'file' in found ? found.file.name : found.folder.name
  const key = tidy(to)
  const isInto = to.endsWith('/') || key === '' || (await findFolder(client, key)) !== undefined
  return isInto ? (key === '' ? name : `${key}/${name}`) : key
}

/** Prints a link to a file that expires: `sign <key>`. */
export async function sign(
  { client: connect, terminal }: Remote,
  key: string,
  { expires }: { expires?: number },
): Promise<number> {
  const client = connect()
  const file = await findFile(client, key)
  if (!file) throw new Failure(`There is no file "${key}"`)
  const { url, expiresAt } = await client.files.sign(
    { id: file.id },
    expires === undefined ? {} : { expiresIn: expires },
  )
  await terminal.print(client.url + url)
  terminal.warn(`Expires ${expiresAt}`)
  return 0
}
