import type { HoldfastClient, Site } from '../client/index.ts'
import { Failure, messageOf, UsageFailure } from './failure.ts'
import { askForSecret } from './login.ts'
import type { Remote } from './remote.ts'
import type { Terminal } from './terminal.ts'
import type { MeasuredFile } from './tree.ts'

export interface SiteOptions {
  /** Name of the site. */
  site?: string
  /** True when pages that do not exist show the start page. */
  spa?: boolean
  /** Hosts of its own. */
  domain?: string[]
  /** Name of a preview of the site. */
  preview?: string
  /** Lifetime of a preview in seconds. */
  keep?: number
  /** True to ask for a password. */
  password?: boolean
}

/** Site that a deployment shows: a site, or a preview beside it. */
export interface Target {
  name: string
  folder: string
  /** The site as it is, if it is there. */
  before: Site | undefined
  spa: boolean
  domains: readonly string[]
  /** Lifetime of a preview in seconds. */
  keep: number | undefined
  /** True when visitors need a password. */
  isLocked: boolean
}

const DAY_SECONDS = 86_400
/** Days that a preview stays. */
const KEPT_DAYS = 30
const LABEL = /^[a-z\d]+(-[a-z\d]+)*$/

/**
 * Returns the site that a deployment is for; `undefined` for none.
 *
 * @param folder Folder that the command names.
 * @throws {UsageFailure} for options that do not go together.
 * @throws {Failure} on a server without sites, and when a site shows another folder.
 */
export async function findTarget(
  client: HoldfastClient,
  {
    site: name,
    spa = false,
    domain = [],
    preview,
    keep,
    password = false,
    folder,
  }: SiteOptions & { folder: string | undefined },
): Promise<Target | undefined> {
  if (name === undefined) {
    if (spa || domain.length > 0 || preview !== undefined || password)
      throw new UsageFailure('--spa, --domain, --preview and --password need a site: --site <name>')
    return undefined
  }
  if (preview === undefined && keep !== undefined)
    throw new UsageFailure('--keep is for previews: --preview <name>')
  if (preview !== undefined && domain.length > 0)
    throw new UsageFailure('A preview has no domain of its own: leave out --domain')
  if (preview !== undefined && !LABEL.test(preview))
    throw new UsageFailure('The name of a preview has a-z, 0-9 and single hyphens inside, such as pr-12')
  const { sites, domain: all } = await client.sites.list()
  if (all === null)
    throw new Failure(
      'This server has no sites. Its operator turns them on with SITES_DOMAIN; or leave out --site.',
    )
  const named = (wanted: string) => sites.find((site) => site.name === wanted)
  const main = named(name)
  const own = folderOfSite(main, { name, folder })
  // A preview has the password of its site, unless it has another.
  const isLocked = password || main?.hasPassword === true
  if (preview === undefined) return { name, folder: own, before: main, spa, domains: domain, keep, isLocked }
  const label = `${name}--${preview}`
  const before = named(label)
  return {
    ...{
      name: label,
      before,
      folder: folderOfSite(before, { name: `${own}.${preview}`, folder: undefined }),
    },
    ...{ spa: spa || main?.spa === true, domains: [], keep: keep ?? KEPT_DAYS * DAY_SECONDS },
    isLocked: isLocked || before?.hasPassword === true,
  }
}

/**
 * Returns the folder that a site shows; for a new one the folder that the command names, or one with the name of the site.
 *
 * @throws {Failure} when the site shows another one, or its folder was deleted.
 */
function folderOfSite(
  site: Site | undefined,
  { name, folder }: { name: string; folder: string | undefined },
): string {
  if (!site) return folder ?? name
  if (site.folder === null)
    throw new Failure(
      `The folder of the site "${site.name}" was deleted. Restore it with "holdfast trash restore", or delete the site.`,
    )
  if (folder !== undefined && folder !== site.folder)
    throw new Failure(
      `The site "${site.name}" shows the folder "${site.folder}": leave out --folder, or choose another --site.`,
    )
  return site.folder
}

/**
 * Asks for the password of a site, if it is to have one. A site that is there gets it before its new version.
 *
 * @throws {Failure} when the prompt is canceled.
 */
export async function askForPassword(
  { terminal }: Pick<Remote, 'terminal'>,
  client: HoldfastClient,
  { before, isLocked }: Target,
  options: { password?: boolean; private?: boolean; rollback: boolean },
): Promise<string | undefined> {
  if (isLocked && !options.private && !options.rollback)
    terminal.warn('Files are still public at their addresses in /api/hosting. Add --private to close those.')
  if (!options.password) return undefined
  const secret = { message: 'Password for visitors', canceled: 'Nothing was deployed' }
  const password = await askForSecret(terminal, secret)
  if (before) await client.sites.change(before.id, { password })
  return password
}

/** Makes the site of a deployment, or changes the one that is there. */
export async function keepSite(
  { now }: Pick<Remote, 'now'>,
  client: HoldfastClient,
  { name, folder, before, spa, keep, password, ...target }: Target & { password: string | undefined },
): Promise<Site> {
  const domains = [...new Set([...(before?.domains ?? []), ...target.domains])]
  const fields = {
    ...(domains.length > 0 && { domains }),
    ...(spa && { spa }),
    ...(keep !== undefined && { expiresAt: new Date(now() + keep * 1000).toISOString() }),
  }
  try {
    if (!before)
      return await client.sites.create({
        folder,
        name,
        ...fields,
        ...(password !== undefined && { password }),
      })
    const isSame = keep === undefined && domains.length === before.domains.length && (!spa || before.spa)
    return isSame ? before : await client.sites.change(before.id, fields)
  } catch (error) {
    throw new Failure(
      `The files are in "${folder}", but the site "${name}" is not as you asked: ${messageOf(error)}`,
    )
  }
}

/** Folders into which build tools put files that never change under their names. */
const IMMUTABLE = ['assets/', '_app/immutable/', '_next/static/', '_astro/']

/** Prints the lines of `_headers` that let browsers keep files, if a site has such files and no `_headers`. */
export function suggestHeaders(terminal: Pick<Terminal, 'warn'>, files: readonly MeasuredFile[]): void {
  if (files.some(({ path }) => path === '_headers')) return
  const found = IMMUTABLE.filter((folder) => files.some(({ path }) => path.startsWith(folder)))
  if (found.length === 0) return
  const lines = found.map((folder) => `/${folder}*\n  Cache-Control: public, max-age=31536000, immutable`)
  terminal.warn(
    `If names below change with their content, a file _headers lets browsers keep them:\n${lines.join('\n')}`,
  )
}
