import { basename, resolve } from 'node:path'
import type { HoldfastClient, TrashItem, Visibility } from '../client/index.ts'
import { count } from '../platform/amounts.ts'
import { Failure, UsageFailure } from './failure.ts'
import { findFile, findFolder, grantedFolders } from './find.ts'
import { showProgress } from './progress.ts'
import { nameOf, parentOf, type Remote, tidy } from './remote.ts'
import { itemsOf } from './trash.ts'
import { filesBelow, LeftOut, type MeasuredFile, measure, sendFiles, sizeOf } from './tree.ts'

export interface DeployOptions {
  /** Object key of the site. Default: the name of the local folder. */
  folder?: string
  private?: boolean
  /** True to return to the version before. */
  rollback: boolean
}

/**
 * Replaces a website: `deploy <dir>`. The new version arrives in one request, then takes the place of the live one in one
 * operation of the server. Each visitor finds one of them whole.
 */
export async function deploy(
  remote: Remote,
  dir: string | undefined,
  options: DeployOptions,
): Promise<number> {
  const folder = options.folder ?? (dir === undefined ? undefined : basename(resolve(dir)))
  if (folder === undefined) throw new UsageFailure('A site needs a name: --folder <folder>')
  const key = tidy(folder)
  if (key === '') throw new Failure('A site needs a folder of its own: --folder <folder>')
  const client = remote.client()
  const left = new LeftOut(remote.terminal)
  if (options.rollback) await rollBack(remote, client, key)
  else if (dir === undefined) throw new UsageFailure('A deployment needs a local folder')
  else {
    const arriving = await arrivingAt(client, key)
    await replace(remote, client, {
      ...{ key, arriving, dir, left },
      visibility: options.private ? 'private' : 'public',
    })
  }
  const index = await findFile(client, `${key}/index.html`)
  const address = index?.url ?? `api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`
  await remote.terminal.print(client.url + address)
  return left.refused === 0 ? 0 : 1
}

interface Site {
  key: string
  /** Object key of the new version while it arrives. */
  arriving: string
  dir: string
  left: LeftOut
  visibility: Visibility
}

/** Sends a site and puts it in its place. */
async function replace(remote: Remote, client: HoldfastClient, site: Site): Promise<void> {
  const { terminal } = remote
  const { key, arriving, dir, left } = site
  // An interrupted deployment leaves its folder. Another one of that name can be restored.
  const half = await findFolder(client, arriving)
  const { failed } = half ? await client.trash.put({ folderIds: [half.id] }) : { failed: [] }
  if (failed[0]) throw new Failure(`"${arriving}" is in the way: ${failed[0].message}`)

  const files: MeasuredFile[] = []
  for (const file of filesBelow(dir, left)) files.push(await measure(file))
  if (files.length === 0) throw new Failure(`There are no files in "${dir}"`)

  await send(remote, client, { site, files })
  await takePlace(client, site)
  terminal.warn(`Deployed ${count(files.length, 'file')} to "${key}"${left.summary()}`)
}

/**
 * Returns the object key of a new version while it arrives: beside the site, or in it if the caller may not change the
 * folder above.
 */
async function arrivingAt(client: HoldfastClient, key: string): Promise<string> {
  if (!(await mayChangeAbove(client, key))) return `${key}/.arriving`
  const name = `.${nameOf(key)}.arriving`
  return parentOf(key) === '' ? name : `${parentOf(key)}/${name}`
}

/** Returns true if the caller may move folders in and out of the folder above a site. */
async function mayChangeAbove(client: HoldfastClient, key: string): Promise<boolean> {
  const granted = await grantedFolders(client)
  if (!granted) return true
  const above = granted.filter((folder) => key.startsWith(`${folder.key}/`))
  return ['write', 'delete'].every((right) => above.some(({ rights }) => rights.includes(right)))
}

async function send(
  { terminal }: Remote,
  client: HoldfastClient,
  { site: { arriving, visibility }, files }: { site: Site; files: MeasuredFile[] },
): Promise<void> {
  const bar = showProgress(terminal, `Sending ${count(files.length, 'file')}`, sizeOf(files))
  try {
    const onProgress = ({ loaded }: { loaded: number }) => bar.reach(loaded)
    await sendFiles(client, files, { folder: arriving, visibility, onProgress })
  } finally {
    bar.end()
  }
}

async function takePlace(client: HoldfastClient, { key, arriving }: Site): Promise<void> {
  const next = await findFolder(client, arriving)
  if (!next) throw new Failure('The new version is missing: another deployment of this site is running')
  const live = await findFolder(client, key)
  if (live) await client.folders.replace(next.id, live.id)
  else await client.folders.rename(next.id, nameOf(key))
}

/** Returns a site to the version that was replaced last. */
async function rollBack({ terminal }: Remote, client: HoldfastClient, key: string): Promise<void> {
  const before = await lastVersion(client, key)
  if (!before) throw new Failure(`The trash has no earlier version of "${key}"`)
  const live = await findFolder(client, key)
  if (live) await client.folders.replace(before.id, live.id)
  else {
    const { failed } = await client.trash.restore([before.id])
    if (failed[0]) throw new Failure(`"${key}" cannot be restored: ${failed[0].message}`)
  }
  terminal.warn(`Returned "${key}" to the version that was replaced at ${before.deletedAt}`)
}

async function lastVersion(client: HoldfastClient, key: string): Promise<TrashItem | undefined> {
  for await (const item of itemsOf(client)) if (item.kind === 'folder' && item.key === key) return item
  return undefined
}
