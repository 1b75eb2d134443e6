import type { HoldfastClient, Site } from '../client/index.ts'
import { Failure, messageOf, UsageFailure } from './failure.ts'
import type { Terminal } from './terminal.ts'
import type { MeasuredFile } from './tree.ts'

export interface SiteOptions {
  /** Name of the site. */
  site?: string
  /** True when pages that do not exist show the start page. */
  spa?: boolean
  /** Hosts of its own. */
  domain?: string[]
}

/** Returns the site of a name, if there is one. @throws {Failure} on a server without sites. */
export async function findSite(client: HoldfastClient, name: string): Promise<Site | undefined> {
  const { sites, domain } = await client.sites.list()
  if (domain === null)
    throw new Failure(
      'This server has no sites. Its operator turns them on with SITES_DOMAIN; or leave out --site.',
    )
  return sites.find((site) => site.name === name)
}

/** @throws {UsageFailure} for options that need a site. */
export function assertSiteNamed({ site, spa, domain }: SiteOptions): void {
  if (site === undefined && (spa || domain))
    throw new UsageFailure('--spa and --domain need a site: --site <name>')
}

/**
 * Returns the folder that a site shows; for a new one the folder that the command names, or one with the name of the site.
 *
 * @throws {Failure} when the site shows another one, or its folder was deleted.
 */
export function folderOfSite(
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

/** Makes a site for a folder, or changes the one that is there. */
export async function keepSite(
  client: HoldfastClient,
  before: Site | undefined,
  { site: name, spa, domain = [], folder }: SiteOptions & { site: string; folder: string },
): Promise<Site> {
  const domains = [...new Set([...(before?.domains ?? []), ...domain])]
  try {
    if (!before) return await client.sites.create({ folder, name, domains, ...(spa && { spa }) })
    const isSame = domains.length === before.domains.length && (!spa || before.spa)
    return isSame ? before : await client.sites.change(before.id, { domains, ...(spa && { spa }) })
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
