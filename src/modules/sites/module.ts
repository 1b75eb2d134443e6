import { Elysia } from 'elysia'
import { auth, READ, WRITE } from '../../access/plugin.ts'
import { whole, within } from '../../access/reach.ts'
import { openRoute, route } from '../../access/route.ts'
import type { Protocol } from '../../api/module.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { problem } from '../../api/problem.ts'
import { SITE_FACTS } from '../../api/route-facts.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { exchangeOf } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { areSameSite, hostName, hostOfOrigin } from '../../platform/hosts.ts'
import { alsoAtStart, onEachServer } from '../../platform/jobs.ts'
import { Misses } from './misses.ts'
import {
  AskQuery,
  ChangeBody,
  CreateBody,
  IdBody,
  MissesAnswer,
  MissesQuery,
  SignBody,
  SignedAnswer,
  SiteAnswer,
  SitesAnswer,
} from './model.ts'
import { failureAtSite, hostHeaders, respondAtSite, type SiteContext } from './respond.ts'
import {
  changeSite,
  createSite,
  endPreviews,
  listMisses,
  listSites,
  removeSite,
  signSite,
} from './service.ts'

const TAKEN = 'Another site has the name "www"'
const BAD_NAME = '"name" must be 1 to 63 of a-z, 0-9 and single hyphens inside'
const NOT_FOUND = 'Site not found'
const NO_PASSWORD = 'The site has no password: its address is open to all'

const LIST_SITES = route('Sites', READ, {
  id: 'listSites',
  summary: 'List the sites',
  answer: SitesAnswer,
  returns: 'Those of the folders that the caller reaches, by name.',
})

const CREATE_SITE = route('Sites', WRITE, {
  id: 'createSite',
  summary: 'Create a site',
  description:
    'Shows the public files of a folder as a website at `<name>.<SITES_DOMAIN>` and at its domains. It follows the ' +
    'folder when that is renamed, moved, or replaced. The caller needs the rights to write and to share in the folder. ' +
    'A preview, such as `www--pr-12`, moves its folder to the trash at `expiresAt`, which also needs the right to delete; ' +
    'without a password it has that of its site.',
  takes: CreateBody,
  example: { folder: 'photos', name: 'www', domains: ['www.example.org'] },
  answer: SiteAnswer,
  returns: 'The new site.',
  refusals: {
    400: [BAD_NAME],
    404: ['Folder not found'],
    409: [TAKEN, 'This instance has no sites: SITES_DOMAIN is not set'],
  },
})

const CHANGE_SITE = route('Sites', WRITE, {
  id: 'changeSite',
  summary: 'Change a site',
  description: 'A field that is missing keeps its value. `domains` takes the place of those before.',
  takes: ChangeBody,
  example: { id: EXAMPLE_ID, spa: true },
  answer: SiteAnswer,
  returns: { description: 'The site.', data: { site: { spa: true } } },
  refusals: { 400: [BAD_NAME], 404: [NOT_FOUND], 409: [TAKEN] },
})

const DELETE_SITE = route('Sites', WRITE, {
  id: 'deleteSite',
  summary: 'Delete a site',
  description: 'Its files stay.',
  takes: IdBody,
  answer: emptyEnvelope,
  returns: 'Deleted.',
  refusals: { 404: [NOT_FOUND] },
})

const SIGN_SITE = route('Sites', WRITE, {
  id: 'signSite',
  summary: 'Create an address that opens a site with a password',
  description:
    'A visitor of the address sees the site without its password until `expiresAt`, or until the password changes. ' +
    '`to` in the address may be another path of the site. `expiresIn` is in seconds; the instance’s lifetimes of signed ' +
    'links apply. The caller needs the rights that a change needs.',
  takes: SignBody,
  example: { id: EXAMPLE_ID, expiresIn: 3600 },
  answer: SignedAnswer,
  returns: 'The address with its expiry.',
  refusals: {
    404: [NOT_FOUND],
    409: [NO_PASSWORD, 'This instance has no sites: SITES_DOMAIN is not set'],
  },
})

const LIST_MISSES = route('Sites', READ, {
  id: 'listSiteMisses',
  summary: 'List the paths that visitors of a site missed',
  description:
    'Paths with the status 404 in the last seven days: the 100 that are missed most, and the 100 that were ' +
    'missed last. A request is listed within a minute. Hidden paths are left out. One address adds up to 100 requests an hour.',
  query: MissesQuery,
  answer: MissesAnswer,
  returns: 'Up to 200, the latest first.',
  refusals: { 404: [NOT_FOUND] },
})

const ASK_FOR_DOMAIN = openRoute('Sites', {
  id: 'askForDomain',
  summary: 'Check that a host belongs to this instance',
  description:
    'For a proxy that gets certificates on demand. It answers from memory, without credentials, and also while a shared ' +
    'database is away.',
  query: AskQuery,
  answer: emptyEnvelope,
  facts: { limit: 'none', isAlwaysThere: true },
  returns: 'The host is that of the instance or of a site.',
  refusals: { 404: [NOT_FOUND] },
})

/** Builds `/api/sites`: folders that are websites. */
function siteRoutes(deps: SiteContext) {
  const { hosts } = deps
  return new Elysia({ prefix: '/api/sites' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller }) =>
        success({ sites: await listSites(within(deps, caller)), domain: hosts.domain ?? null }),
      { ...LIST_SITES },
    )
    .post(
      '/',
      async ({ caller, body }) => success({ site: await createSite(within(deps, caller), caller, body) }),
      { ...CREATE_SITE },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ site: await changeSite(within(deps, caller), caller, body) }),
      { ...CHANGE_SITE },
    )
    .delete('/', ({ caller, body }) => done(removeSite(within(deps, caller), caller, body.id)), {
      ...DELETE_SITE,
    })
    .post('/sign', async ({ caller, body }) => success(await signSite(within(deps, caller), body)), {
      ...SIGN_SITE,
    })
    .get(
      '/misses',
      async ({ caller, query: { id } }) => success({ misses: await listMisses(within(deps, caller), id) }),
      { ...LIST_MISSES },
    )
    .get(
      '/ask',
      ({ query: { domain } }) => {
        const host = hostName(domain)
        if (host === hostOfOrigin(deps.config.baseUrl)) return success(null)
        if (host !== undefined && hosts.find(host)) return success(null)
        // Another server may have made it just now: the next question finds it.
        void hosts.look()
        throw new Refusal('site-not-found')
      },
      { ...ASK_FOR_DOMAIN },
    )
}

/** Builds the responses at hosts of sites, where nothing else of the instance exists. */
function siteProtocol(deps: SiteContext): Protocol {
  const { hosts, store } = deps
  const siteOf = (request: Request) =>
    hosts.domain === undefined
      ? undefined
      : hosts.placeOf(hostHeaders(request.headers), exchangeOf(request).peer).site
  return {
    isFor: (request) => siteOf(request) !== undefined,
    prepare: (request) =>
      store.isShared && hosts.mayBeNew(hostHeaders(request.headers), exchangeOf(request).peer)
        ? hosts.look()
        : undefined,
    facts: SITE_FACTS,
    respond: (request) => respondAtSite(deps, request),
    problem: (refusal, request) => failureAtSite(deps, problem(refusal, request)),
  }
}

/** Creates the module of websites. */
export function createSites(deps: Omit<SiteContext, 'misses'>) {
  const misses = new Misses(deps)
  const context = { ...deps, misses }
  const { config, log, hosts } = context
  const own = hostOfOrigin(config.baseUrl)
  if (hosts.domain !== undefined && own !== undefined && areSameSite(own, hosts.domain))
    log.notice(
      `SITES_DOMAIN "${hosts.domain}" and the host of BASE_URL probably belong to one domain: a page of a site can set cookies for both. Choose a domain of its own for sites by several people.`,
    )
  for (const host of hosts.domain === undefined ? [] : hosts.withheld())
    log.notice(
      `"${host}" is a host of BASE_URL or TRUSTED_ORIGINS: the site with this domain is not shown there.`,
    )
  return {
    routes: siteRoutes(context),
    protocol: siteProtocol(context),
    jobs: [
      alsoAtStart('37 * * * *', 'Ending previews of sites', () => endPreviews(whole(context))),
      onEachServer('* * * * *', 'Saving the paths that sites lack', () => misses.flush()),
    ],
    flush: () => misses.flush(),
  }
}
