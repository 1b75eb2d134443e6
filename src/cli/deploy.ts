import { basename, resolve } from 'node:path'
import type { HoldfastClient, TrashItem, Visibility } from '../client/index.ts'
import { count } from '../platform/amounts.ts'
import { connect } from './account.ts'
import { compressText } from './compressed.ts'
import { Failure, UsageFailure } from './failure.ts'
import { findFile, findFolder, grantedFolders } from './find.ts'
import { showProgress } from './progress.ts'
import { nameOf, parentOf, type Remote, tidy } from './remote.ts'
import { askForPassword, findTarget, keepSite, type SiteOptions, suggestHeaders } from './site.ts'
import { itemsOf } from './trash.ts'
import { batches, filesBelow, LeftOut, type MeasuredFile, measure, sendFiles, sizeOf } from './tree.ts'

export interface DeployOptions extends SiteOptions {
  /** Object key of the folder. Default: that of the site, or the name of the local folder. */
  folder?: string
  private?: boolean
  /** True to return to the version before. */
  rollback: boolean
}

/**
 * Replaces a website: `deploy <dir>`. The new version arrives beside the live one, then takes the place of the live one in one
 * operation of the server. Each visitor finds one of them whole.
 */
export async function deploy(
  remote: Remote,
  dir: string | undefined,
  options: DeployOptions,
): Promise<number> {
  const client = connect(remote.environment)
  const folder = options.folder === undefined ? undefined : tidy(options.folder)
  const site = await findTarget(client, { ...options, folder })
  const key = keyOf(dir, site?.folder ?? folder)
  const password = site && (await askForPassword(remote, client, site, options))
  const left = new LeftOut(remote.terminal)
  if (options.rollback) await rollBack(remote, client, key)
  else if (dir === undefined) throw new UsageFailure('A deployment needs a local folder')
  else {
    const arriving = await arrivingAt(client, key)
    if (options.preview !== undefined && arriving.startsWith(`${key}/`))
      throw new Failure(
        `The preview goes into "${key}", beside the folder of the site: use an API key for the folder above.`,
      )
    await replace(remote, client, {
      ...{ key, arriving, dir, left, isSite: site !== undefined },
      visibility: options.private ? 'private' : 'public',
    })
  }
  const live = site && (await keepSite(remote, client, { ...site, password }))
  await remote.terminal.print(live?.url ?? (await hostedAddress(client, key)))
  return left.refused === 0 ? 0 : 1
}

/** Returns the object key of the folder to deploy to. */
function keyOf(dir: string | undefined, named: string | undefined): string {
  const folder = named ?? (dir === undefined ? undefined : basename(resolve(dir)))
  if (folder === undefined) throw new UsageFailure('A site needs a name: --folder <folder>')
  if (folder === '') throw new Failure('A site needs a folder of its own: --folder <folder>')
  return folder
}

async function hostedAddress(client: HoldfastClient, key: string): Promise<string> {
  const index = await findFile(client, `${key}/index.html`)
  return client.url + (index?.url ?? `api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`)
}

interface Deployment {
  key: string
  /** Object key of the new version while it arrives. */
  arriving: string
  dir: string
  left: LeftOut
  visibility: Visibility
  /** True for one that a site shows, which gets compressed forms of its text. */
  isSite: boolean
}

/** Sends a site and puts it in its place. */
async function replace(remote: Remote, client: HoldfastClient, site: Deployment): Promise<void> {
  const { terminal } = remote
  const { key, arriving, dir, left } = site
  // An interrupted deployment leaves its folder. Another one of that name can be restored.
  const half = await findFolder(client, arriving)
  const { failed } = half ? await client.trash.put({ folderIds: [half.id] }) : { failed: [] }
  if (failed[0]) throw new Failure(`"${arriving}" is in the way: ${failed[0].message}`)

  const files: MeasuredFile[] = []
  for (const file of filesBelow(dir, left)) files.push(await measure(file))
  if (files.length === 0) throw new Failure(`There are no files in "${dir}"`)

  using forms = site.isSite ? await compressText(files) : undefined
  const id = await send(remote, client, { site, files: [...files, ...(forms?.files ?? [])] })
  await takePlace(client, site, id)
  terminal.warn(`Deployed ${count(files.length, 'file')} to "${key}"${left.summary()}`)
  if (site.isSite) suggestHeaders(terminal, files)
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

/** Sends files in groups. Returns the id of their folder. */
async function send(
  { terminal }: Remote,
  client: HoldfastClient,
  { site: { arriving, visibility }, files }: { site: Deployment; files: MeasuredFile[] },
): Promise<string> {
  const bar = showProgress(terminal, `Sending ${count(files.length, 'file')}`, sizeOf(files))
  let [id, sent] = ['', 0]
  try {
    for (const batch of batches(files)) {
      const onProgress = ({ loaded }: { loaded: number }) => bar.reach(sent + loaded)
      const into = await sendFiles(client, batch, { folder: arriving, visibility, onProgress })
      id ||= into
      if (into !== id) throw isBusy()
      sent += sizeOf(batch)
    }
  } finally {
    bar.end()
  }
  return id
}

const isBusy = () => new Failure('The new version is missing: another deployment of this site is running')

async function takePlace(client: HoldfastClient, { key, arriving }: Deployment, id: string): Promise<void> {
  const next = await findFolder(client, arriving)
  if (next?.id !== id) throw isBusy()
  const live = await findFolder(client, key)
  if (live) await client.folders.replace(id, live.id)
  else await client.folders.rename(id, nameOf(key))
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
