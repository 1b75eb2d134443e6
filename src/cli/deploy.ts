import { basename, resolve } from 'node:path'
import type { Folder, HoldfastClient } from '../client/index.ts'
import { Failure } from './failure.ts'
import { findFolder } from './find.ts'
import { showProgress } from './progress.ts'
import { nameOf, parentOf, type Remote, tidy } from './remote.ts'
import { count } from './terminal.ts'
import { filesBelow, type MeasuredFile, measure, sendFiles, sizeOf } from './tree.ts'

export interface DeployOptions {
  /** Object key of the site. Default: the name of the local folder. */
  folder?: string
  private?: boolean
}

/**
 * Replaces a website: `deploy <dir>`. The new version arrives in one request beside the live one, then both change
 * places. No visitor sees half of it.
 */
export async function deploy(remote: Remote, dir: string, options: DeployOptions): Promise<number> {
  const { terminal } = remote
  const client = remote.client()
  const key = tidy(options.folder ?? basename(resolve(dir)))
  if (key === '') throw new Failure('A site needs a folder of its own: --folder <folder>')
  const site: Site = { key, arriving: besides(key, ARRIVING), replaced: besides(key, REPLACED) }
  await cleanUp(client, site)

  const files: MeasuredFile[] = []
  for (const file of filesBelow(dir, (path) =>
    terminal.warn(`holdfast: ${path}: skipped, because it is not a file`),
  ))
    files.push(await measure(file))
  if (files.length === 0) throw new Failure(`There are no files in "${dir}"`)

  await send(remote, client, { site, files, visibility: options.private ? 'private' : 'public' })
  await takePlace(client, site)
  terminal.warn(`Deployed ${count(files.length, 'file')} to "${key}"`)
  const hasIndex = files.some(({ path }) => path === 'index.html')
  await terminal.print(
    `${client.url}api/hosting/${key.split('/').map(encodeURIComponent).join('/')}${hasIndex ? '/index.html' : ''}`,
  )
  return 0
}

interface Site {
  key: string
  /** Object key of the new version while it arrives. */
  arriving: string
  /** Object key of the old version during the exchange. */
  replaced: string
}

const ARRIVING = 'arriving'
const REPLACED = 'replaced'

/** Returns an object key in the same folder, used only during a deployment. */
const besides = (key: string, state: string) => {
  const name = `.${nameOf(key)}.${state}`
  return parentOf(key) === '' ? name : `${parentOf(key)}/${name}`
}

const folderAt = (key: string, siblings: readonly Folder[]) =>
  siblings.find(({ name }) => name === nameOf(key))

/** Returns the folders beside an object key; none if their parent does not exist. */
async function siblingsOf(client: HoldfastClient, key: string): Promise<Folder[]> {
  const parent = parentOf(key)
  if (parent !== '' && !(await findFolder(client, parent))) return []
  return client.folders.folders({ key: parent })
}

/** Undoes a deployment that was interrupted. */
async function cleanUp(client: HoldfastClient, { key, arriving, replaced }: Site): Promise<void> {
  const siblings = await siblingsOf(client, key)
  const [site, half, old] = [key, arriving, replaced].map((place) => folderAt(place, siblings))
  if (half) await client.folders.delete(half.id)
  if (old && site) await client.folders.delete(old.id)
  else if (old) await client.folders.rename(old.id, nameOf(key))
}

async function send(
  { terminal }: Remote,
  client: HoldfastClient,
  { site, files, visibility }: { site: Site; files: MeasuredFile[]; visibility: 'public' | 'private' },
): Promise<void> {
  const bar = showProgress(terminal, `Sending ${count(files.length, 'file')}`, sizeOf(files))
  try {
    const onProgress = ({ loaded }: { loaded: number }) => bar.reach(loaded)
    await sendFiles(client, files, { folder: site.arriving, visibility, onProgress })
  } finally {
    bar.end()
  }
}

/** Renames both versions. Requests between the two renames get a 404. If the second fails, the old version returns. */
async function takePlace(client: HoldfastClient, { key, arriving, replaced }: Site): Promise<void> {
  const siblings = await siblingsOf(client, key)
  const [old, next] = [key, arriving].map((place) => folderAt(place, siblings))
  if (!next) throw new Failure('The new version is missing: another deployment of this site is running')
  if (old) await client.folders.rename(old.id, nameOf(replaced))
  try {
    await client.folders.rename(next.id, nameOf(key))
  } catch (error) {
    if (old) await client.folders.rename(old.id, nameOf(key))
    throw error
  }
  if (old) await client.folders.delete(old.id)
}
