import { assertStillAllowed, type LocatedCaller } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { assertAcceptable } from '../../access/passwords.ts'
import { linkExpiry } from '../../access/signature.ts'
import { parseExpiry } from '../../api/expiry.ts'
import { Refusal, refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { hostName, hostOfOrigin, isAtOrBelowHost } from '../../platform/hosts.ts'
import { iso } from '../../platform/time.ts'
import type { SiteRow, Work } from '../../store/rows.ts'
import { purgeUnlessKept } from '../../store/trash/purge.ts'
import { readDestination } from '../../views/files.ts'
import { requireFolder } from '../../views/folders.ts'
import type { SiteHosts } from './hosts.ts'
import {
  type ChangeSite,
  type CreateSite,
  isPreview,
  previewedBy,
  type SignSite,
  siteView,
  urlOfSite,
} from './model.ts'
import type { RuleFiles } from './rule-files.ts'

/** Services of changes of sites. */
type SiteDeps = TreeContext & { rules: RuleFiles; hosts: Pick<SiteHosts, 'reached'> }

/** Maximum sites of an instance: all of them are in memory. */
const MAX_SITES = 10_000

/** Matches the name of a site: two hyphens in a row are those of a preview, but not in a label that stands for another script. */
const NAME = /^(?=.{1,63}$)(?!xn--)[a-z\d]+(?:-[a-z\d]+)*(?:--[a-z\d]+(?:-[a-z\d]+)*)?$/

/** Returns the sites whose folders a caller reaches, by name. One that reaches everything also gets those without a folder. */
export async function listSites(deps: SiteDeps) {
  const { store } = deps
  const found = await store.read(function* () {
    const sites = yield* store.sites.all()
    const keys = yield* store.folders.keysOf([...new Set(sites.map(({ folderId }) => folderId))])
    return sites
      .filter(({ folderId }) => store.reach.isEverything || keys.has(folderId))
      .map((site) => ({ site, folder: keys.get(site.folderId) }))
  })
  const views = []
  // One after another: each may read files.
  for (const { site, folder } of found) views.push(await viewOf(deps, site, folder))
  return views
}

/**
 * Creates a site.
 *
 * @throws {Refusal} `sites-off`, `invalid`, `root-folder`, `folder-not-found`, `right-missing`, `name-taken`, `limit-reached`.
 */
export async function createSite(deps: SiteDeps, caller: LocatedCaller, sent: CreateSite) {
  const { store, clock, random } = deps
  const name = readName(sent.name)
  const domains = readDomains(deps, sent.domains ?? [])
  const expiresAt = readEnd(deps, { name, expiresAt: null }, sent.expiresAt)
  const ownHash = (await hashed(deps, sent.password)) ?? null
  const place = readDestination(sent)
  return change(deps, caller, 'site.created', function* () {
    const key = 'folder' in place ? place.folder.join('/') : ''
    const folder = yield* requireFolder(deps, 'folder' in place ? { key } : { id: place.folderId })
    if (folder.parentId === null) throw new Refusal('root-folder')
    yield* assertMayPublish(deps, folder.id)
    if (expiresAt !== null) yield* assertMayEnd(deps, caller, folder.id)
    const others = yield* store.sites.all()
    if (others.length >= MAX_SITES)
      throw new Refusal('limit-reached', `There are ${MAX_SITES} sites already: delete some first`)
    assertFree(others, { name, domains })
    yield* assertOwnName(deps, others, name)
    const [id, now] = [random.id(), clock.now()]
    const passwordHash = ownHash ?? hashOfPreviewed(others, name)
    yield* store.sites.insert({
      ...{ id, name, folderId: folder.id, domains, spa: sent.spa ?? false },
      ...{ passwordHash, expiresAt, createdAt: now, updatedAt: now },
    })
    yield* lockPreviews(deps, others, { name, passwordHash, before: null })
    return id
  })
}

/** Changes a site. @throws {Refusal} `sites-off`, `invalid`, `site-not-found`, `right-missing`, `name-taken`. */
export async function changeSite(deps: SiteDeps, caller: LocatedCaller, { id, ...sent }: ChangeSite) {
  const { store, clock } = deps
  const name = sent.name === undefined ? undefined : readName(sent.name)
  const domains = sent.domains && readDomains(deps, sent.domains)
  const ownHash = await hashed(deps, sent.password)
  return change(deps, caller, 'site.changed', function* () {
    const site = yield* requireSite(deps, id)
    const expiresAt = readEnd(deps, { ...site, ...(name !== undefined && { name }) }, sent.expiresAt)
    if (sent.expiresAt !== undefined) yield* assertMayEnd(deps, caller, site.folderId)
    const others = (yield* store.sites.all()).filter((other) => other.id !== id)
    assertFree(others, { name, domains })
    if (name !== undefined && name !== site.name) yield* assertOwnName(deps, others, name)
    const { passwordHash: before } = site
    const shownName = name ?? site.name
    const passwordHash = (ownHash === undefined ? before : ownHash) ?? hashOfPreviewed(others, shownName)
    yield* lockPreviews(deps, others, { name: shownName, passwordHash, before })
    yield* store.sites.update(id, {
      name,
      domains,
      spa: sent.spa,
      passwordHash,
      expiresAt,
      updatedAt: clock.now(),
    })
    return id
  })
}

/** Returns the password of the site that a preview is of: a preview without one of its own has that. */
const hashOfPreviewed = (others: readonly SiteRow[], name: string): string | null =>
  others.find((other) => other.name === previewedBy({ name }))?.passwordHash ?? null

/** Gives the previews of a site its new password, unless they have one of their own, or the caller may not change them. */
function* lockPreviews(
  deps: TreeContext,
  others: readonly SiteRow[],
  { name, passwordHash, before }: Pick<SiteRow, 'name' | 'passwordHash'> & { before: string | null },
): Work<void> {
  const { store, clock } = deps
  for (const preview of others) {
    const isOwn = preview.passwordHash !== null && preview.passwordHash !== before
    if (previewedBy(preview) !== name || isOwn || preview.passwordHash === passwordHash) continue
    if (yield* mayPublish(deps, preview.folderId))
      yield* store.sites.update(preview.id, { passwordHash, updatedAt: clock.now() })
  }
}

/** Removes a site; its files stay. @throws {Refusal} `site-not-found`, `right-missing`. */
export async function removeSite(deps: TreeContext, caller: LocatedCaller, id: string): Promise<void> {
  const { store } = deps
  const removed = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    const site = yield* requireSite(deps, id)
    yield* store.sites.remove(id)
    return site
  })
  record(deps, caller, 'site.deleted', removed)
  if (store.isShared) await store.fence()
}

/**
 * Returns an address that opens a site without its password for a limited time.
 *
 * @throws {Refusal} `sites-off`, `site-not-found`, `right-missing`, `conflict` for a site without a password.
 */
export async function signSite(deps: TreeContext, { id, expiresIn }: SignSite) {
  const { passwordHash, ...site } = await deps.store.read(() => requireSite(deps, id))
  const url = urlOfSite(deps.config, site)
  if (url === null) throw new Refusal('sites-off')
  if (passwordHash === null) throw refuseConflict('The site has no password: its address is open to all')
  const { signedOpening } = await import('./locked.ts')
  const expires = linkExpiry(deps, expiresIn)
  const path = signedOpening(deps, { ...site, passwordHash }, expires)
  return { url: new URL(path, url).href, expiresAt: iso(expires * 1000) }
}

/** Removes previews whose time is over, and moves their folders to the trash, unless other sites show them. */
export async function endPreviews(deps: TreeContext): Promise<void> {
  const { store, clock, log } = deps
  const isOver = (site: SiteRow | undefined) =>
    site !== undefined && site.expiresAt !== null && site.expiresAt <= clock.now()
  for (const { id, name, folderId } of (await store.sites.all()).filter(isOver))
    try {
      const { trashFolder } = store.changes(function* () {
        if (!isOver(yield* store.sites.byId(id))) throw new Refusal('conflict')
      })
      const isOwn = await store.read(function* () {
        const others = (yield* store.sites.all()).filter(
          (site) => site.folderId === folderId && !isOver(site),
        )
        return others.length === 0 && (yield* store.folders.keyOf(folderId)) !== undefined
      })
      if (isOwn) await purgeUnlessKept(deps, [await trashFolder(folderId, null)])
      await store.transact(function* () {
        if (isOver(yield* store.sites.byId(id))) yield* store.sites.remove(id)
      })
    } catch (error) {
      log.error(`The preview "${name}" could not be ended; that is tried again each hour`, error)
    }
}

/** Runs a change in a transaction, and returns the site as it is then. */
async function change(
  deps: SiteDeps,
  caller: LocatedCaller,
  type: 'site.created' | 'site.changed',
  work: () => Work<string>,
) {
  const { store, config } = deps
  if (config.sitesDomain === undefined) throw new Refusal('sites-off')
  const { site, folder } = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    const site = yield* store.sites.byId(yield* work())
    if (!site) throw new Refusal('site-not-found')
    return { site, folder: yield* store.folders.keyOf(site.folderId) }
  })
  record(deps, caller, type, site)
  // With several servers, the fence reads the sites in the order of the commits.
  if (store.isShared) await store.fence()
  return viewOf(deps, site, folder)
}

const viewOf = async ({ config, rules, hosts }: SiteDeps, site: SiteRow, folder: string | undefined) =>
  siteView(config, site, {
    ...{ folder, problems: await rules.problemsOf(site) },
    isReached: (domain) => hosts.reached.has(domain),
  })

/** Records a change of a site in the security log, with all its hosts. */
const record = (
  { securityLog }: TreeContext,
  { user, device }: LocatedCaller,
  type: 'site.created' | 'site.changed' | 'site.deleted',
  { name, domains }: SiteRow,
) => securityLog.record({ type, account: user, device, detail: [name, ...domains].join(', ') })

/** Returns the paths that visitors of a site missed, the latest first. @throws {Refusal} `site-not-found`. */
export async function listMisses(deps: TreeContext, id: string) {
  const { store, clock } = deps
  const misses = await store.read(function* () {
    const { site } = yield* findSite(deps, id)
    return yield* store.sites.misses(site.id, clock.now())
  })
  return misses.map(({ path, count, lastAt }) => ({ path, count, lastAt: iso(lastAt) }))
}

/** Finds a site that a caller may change. */
function* requireSite(deps: TreeContext, id: string): Work<SiteRow> {
  const { site, isThere } = yield* findSite(deps, id)
  if (isThere) yield* assertMayPublish(deps, site.folderId)
  return site
}

/** Finds a site that a caller reaches: one whose folder is gone is for those that reach everything. */
function* findSite(deps: TreeContext, id: string): Work<{ site: SiteRow; isThere: boolean }> {
  const { store } = deps
  const site = yield* store.sites.byId(id)
  // The same queries for a site that is missing as for one outside, so that no time tells them apart.
  const isThere = (yield* store.folders.keyOf(site?.folderId ?? '')) !== undefined
  if (!site || !(isThere || store.reach.isEverything)) throw new Refusal('site-not-found')
  return { site, isThere }
}

/** Asserts the right to change a folder, and to open it to visitors. @throws {Refusal} `right-missing`. */
function* assertMayPublish({ store }: TreeContext, folderId: string): Work<void> {
  yield* store.assertRight(folderId, 'write')
  yield* store.assertRight(folderId, 'share')
}

/** Returns true if the caller may change a folder, and open it to visitors. */
function* mayPublish({ store }: TreeContext, folderId: string): Work<boolean> {
  return (yield* store.hasRight(folderId, 'write')) && (yield* store.hasRight(folderId, 'share'))
}

/** Asserts the rights to delete the folder that ends with a preview. @throws {Refusal} `scope-missing`, `right-missing`. */
function* assertMayEnd(deps: TreeContext, caller: LocatedCaller, folderId: string): Work<void> {
  const { store } = deps
  yield* assertStillAllowed(deps, caller, 'files:delete')
  const parentId = (yield* store.folders.byId(folderId))?.parentId
  yield* store.assertRight(parentId ?? '', 'delete', 'the folder above')
}

/** Returns when a site is to end. @throws {Refusal} `invalid` for a preview that has no end, and another site with one. */
function readEnd(
  { clock }: Pick<Context, 'clock'>,
  site: Pick<SiteRow, 'name' | 'expiresAt'>,
  sent: string | undefined,
): number | null {
  const expiresAt = sent === undefined ? site.expiresAt : parseExpiry(sent, clock.now())
  if (isPreview(site) === (expiresAt !== null)) return expiresAt
  throw refuseInvalid('A preview has a name such as "www--pr-12" and "expiresAt"; other sites have neither')
}

/** Hashes a password that a request sets; null takes it away. @throws {Refusal} `invalid`. */
async function hashed(
  { passwords }: Pick<Context, 'passwords'>,
  password: string | null | undefined,
): Promise<string | null | undefined> {
  if (password == null) return password
  await assertAcceptable(password, 'password')
  return passwords.hash(password)
}

function readName(sent: string): string {
  if (NAME.test(sent)) return sent
  throw refuseInvalid('"name" must be 1 to 63 of a-z, 0-9 and single hyphens inside')
}

/**
 * Reads domains. The owner of one is not asked for: a wrong one never leads here.
 *
 * @throws {Refusal} `invalid` for a host that is the instance's own, or may be.
 */
function readDomains({ config }: Pick<Context, 'config'>, sent: readonly string[]): string[] {
  const { sitesDomain, baseUrl, hasBaseUrl, trustedOrigins } = config
  if (sent.length > 0 && !hasBaseUrl)
    throw refuseInvalid('"domains" need BASE_URL: a domain could be an address of the instance itself')
  const own = [baseUrl, ...trustedOrigins].map(hostOfOrigin)
  const domains = sent.map((text) => {
    const domain = hostName(text)
    if (domain === undefined || !domain.includes('.'))
      throw refuseInvalid(`"domains" must be host names with a dot, not ${JSON.stringify(text)}`)
    if (own.includes(domain) || (sitesDomain !== undefined && isAtOrBelowHost(domain, sitesDomain)))
      throw refuseInvalid(`"domains" must not contain a host of the instance: ${domain}`)
    return domain
  })
  return [...new Set(domains)]
}

/** @throws {Refusal} `name-taken` when another site has the name or one of the domains. */
function assertFree(
  others: readonly SiteRow[],
  { name, domains = [] }: { name: string | undefined; domains: string[] | undefined },
): void {
  if (others.some((other) => other.name === name))
    throw new Refusal('name-taken', `Another site has the name "${name}"`)
  const taken = domains.find((domain) => others.some((other) => other.domains.includes(domain)))
  if (taken !== undefined) throw new Refusal('name-taken', `Another site has the domain "${taken}"`)
}

/**
 * Asserts that a site and its previews are of callers that may change both: they share their password, and visitors take
 * one for the other.
 *
 * @throws {Refusal} `name-taken`.
 */
function* assertOwnName(deps: TreeContext, others: readonly SiteRow[], name: string): Work<void> {
  const isOther = (other: SiteRow) => previewedBy(other) === name || other.name === previewedBy({ name })
  for (const other of others.filter(isOther))
    if (!(yield* mayPublish(deps, other.folderId)))
      throw new Refusal('name-taken', `The name "${name}" belongs to the site "${other.name}"`)
}
