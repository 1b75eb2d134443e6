import type { HoldfastClient, HoldfastFile, Visibility } from '../client/index.ts'
import { count, readableTime } from '../platform/amounts.ts'
import { connect } from './account.ts'
import { Failure } from './failure.ts'
import { type Found, find, findFile, findFolder } from './find.ts'
import { nameOf, parentOf, pathIn, type Remote, tidy } from './remote.ts'
import { type DeleteOptions, discard, isPermanent } from './trash.ts'

/** Prints the folders and files in a folder by name: `ls [folder]`. */
export async function list(
  { environment, terminal }: Remote,
  key: string,
  { long, json }: { long: boolean; json: boolean },
): Promise<number> {
  const client = connect(environment)
  const which = { key: tidy(key) }
  const show = (file: HoldfastFile) =>
    json ? terminal.printJson(file) : terminal.print(long ? longLine(file) : file.name)
  const folders = await client.folders.folders(which).catch(async (error: unknown) => {
    const file = await findFile(client, key)
    if (!file) throw error
    await show(file)
  })
  if (!folders) return 0
  for (const folder of folders)
    await (json
      ? terminal.printJson(folder)
      : terminal.print(`${long ? ' '.repeat(LONG_COLUMNS) : ''}${pathIn(which.key, folder.key)}/`))
  for await (const file of client.folders.files(which, { orderBy: 'name', orderDirection: 'ASC' }))
    await show(file)
  return 0
}

/** Prints the keys of files and folders with a text in their names, the best matches first: `search <text>`. */
export async function search(
  { environment, terminal }: Remote,
  text: string,
  { folder, json }: { folder?: string; json: boolean },
): Promise<number> {
  const client = connect(environment)
  const place = folder === undefined ? {} : { folder: tidy(folder) }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.search(text, { ...place, ...(cursor !== undefined && { cursor }) })
    for (const item of page.items) {
      const [found, end] = item.kind === 'file' ? [item.file, ''] : [item.folder, '/']
      await (json ? terminal.printJson({ kind: item.kind, ...found }) : terminal.print(found.key + end))
    }
    cursor = page.next
  }
  return 0
}

/** Creates folders, with those above them: `mkdir <folders...>`. */
export async function makeFolders({ environment }: Remote, keys: readonly string[]): Promise<number> {
  const client = connect(environment)
  for (const key of keys) await client.folders.create(tidy(key))
  return 0
}

/** Makes files public or private, and all files in folders, and prints the addresses of files: `publish <keys...>`. */
export async function setVisibility(
  { environment, terminal }: Remote,
  keys: readonly string[],
  visibility: Visibility,
): Promise<number> {
  const client = connect(environment)
  const found: Found[] = []
  for (const key of keys) found.push(await find(client, key))
  for (const entry of found)
    if ('folder' in entry) await client.folders.setVisibility(entry.folder.id, visibility)
    else {
      const { url } = await client.files.setVisibility(entry.file.id, visibility)
      if (visibility === 'public') await terminal.print(client.url + url)
    }
  return 0
}

const SIZE_COLUMNS = 14
const LONG_COLUMNS = 'private  '.length + SIZE_COLUMNS + '  YYYY-MM-DD HH:MM:SS  '.length

const longLine = ({ visibility, size, updatedAt, name }: HoldfastFile) =>
  `${visibility.padEnd(7)}  ${String(size).padStart(SIZE_COLUMNS)}  ${updatedAt}  ${name}`

/** Moves files to the trash, and with `-r` folders with their content: `rm <keys...>`. */
export async function remove(
  { environment, terminal }: Remote,
  keys: readonly string[],
  { recursive, ...options }: DeleteOptions & { recursive: boolean },
): Promise<number> {
  const client = connect(environment)
  // All keys are resolved first, so that a typo deletes nothing.
  const found: Found[] = []
  for (const key of keys) found.push(await find(client, key))
  const files = found.flatMap((entry) => ('file' in entry ? [entry.file] : []))
  const folders = found.flatMap((entry) => ('folder' in entry ? [entry.folder] : []))
  if (folders[0] && !recursive)
    throw new Failure(`"${folders[0].key}" is a folder: -r deletes it with everything in it`)
  await discard(client, { files, folders }, options)
  const items = count(found.length, 'item')
  if (!(await isPermanent(client, options))) terminal.warn(`Moved ${items} to the trash`)
  else terminal.warn(`Deleted ${items} permanently${options.permanent ? '' : ': the trash is off'}`)
  return 0
}

/** Copies a file or folder into a folder, or under another name, and prints the key of the copy: `cp <from> <to>`. */
export async function copy({ environment, terminal }: Remote, from: string, to: string): Promise<number> {
  const client = connect(environment)
  const found = await find(client, from)
  const { key: target, isInto } = await targetOf(client, found, to)
  const items = 'file' in found ? { fileIds: [found.file.id] } : { folderIds: [found.folder.id] }
  const { copied, failed } = await client.files.copy(items, { folder: parentOf(target) })
  const [made] = copied
  if (!made) throw new Failure(`"${from}" cannot be copied: ${failed[0]?.message}`)
  if (isInto || made.key === target) await terminal.print(made.key)
  else {
    const calls = made.kind === 'file' ? client.files : client.folders
    await calls.rename(made.id, nameOf(target)).catch(async (error) => {
      // The caller may add files here and not delete them.
      await calls.delete(made.id).catch(() => terminal.warn(`The copy remains at "${made.key}"`))
      throw error
    })
    await terminal.print(target)
  }
  return 0
}

/** Moves a file or folder into a folder, or renames it: `mv <from> <to>`. */
export async function move({ environment, terminal }: Remote, from: string, to: string): Promise<number> {
  const client = connect(environment)
  const found = await find(client, from)
  const { key: target } = await targetOf(client, found, to)
  const calls = 'file' in found ? client.files : client.folders
  const { id, key, name } = 'file' in found ? found.file : found.folder
  const isMoved = parentOf(target) !== parentOf(key)
  if (isMoved) await calls.move(id, { folder: parentOf(target) })
  try {
    if (nameOf(target) !== name) await calls.rename(id, nameOf(target))
  } catch (error) {
    if (isMoved)
      await calls
        .move(id, { folder: parentOf(key) })
        .catch(() => terminal.warn(`"${name}" remains in "${parentOf(target)}"`))
    throw error
  }
  return 0
}

/** Returns the object key that `to` means. An existing folder, or a slash at the end, means a place in it. */
async function targetOf(
  client: HoldfastClient,
  found: Found,
  to: string,
): Promise<{ key: string; isInto: boolean }> {
  const name = 'file' in found ? found.file.name : found.folder.name
  const key = tidy(to)
  const isInto = to.endsWith('/') || key === '' || (await findFolder(client, key)) !== undefined
  return { key: !isInto ? key : key === '' ? name : `${key}/${name}`, isInto }
}

/** Prints a link to a file that expires: `sign <key>`. */
export async function sign(
  { environment, terminal }: Remote,
  key: string,
  { expires }: { expires?: number },
): Promise<number> {
  const client = connect(environment)
  const file = await findFile(client, key)
  if (!file) throw new Failure(`There is no file "${key}"`)
  const link = await client.files.sign({ id: file.id }, expires === undefined ? {} : { expiresIn: expires })
  await terminal.print(client.urlOf(link))
  if (expires !== undefined) {
    const { maxExpiresIn } = await client.files.linkLifetimes()
    if (expires > maxExpiresIn) terminal.warn(`Shortened to the maximum of ${readableTime(maxExpiresIn)}`)
  }
  terminal.warn(`Expires ${link.expiresAt}`)
  return 0
}
