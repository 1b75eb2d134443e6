import type { Context } from './access/context.ts'
import type { Assets } from './api/assets.ts'
import { RequestCounts } from './api/route-facts.ts'
import { accountRoutes } from './modules/account.ts'
import { createActivity } from './modules/activity.ts'
import { createArchiveResponder } from './modules/archives/respond.ts'
import { archiveRoutes } from './modules/archives/routes.ts'
import { authRoutes } from './modules/auth.ts'
import { createCdn } from './modules/cdn/module.ts'
import { createChanges } from './modules/changes/module.ts'
import { createDav } from './modules/dav/module.ts'
import { createFavorites } from './modules/favorites.ts'
import { createFetches } from './modules/fetches/module.ts'
import { copyAs, copyOver } from './modules/files/copy.ts'
import { itemRoutes } from './modules/files/items/routes.ts'
import { downloadFile } from './modules/files/read.ts'
import { replaceContent } from './modules/files/replace.ts'
import { fileRoutes } from './modules/files/routes.ts'
import { folderRoutes } from './modules/folders/routes.ts'
import { replaceFolder } from './modules/folders/service.ts'
import { createHosting } from './modules/hosting/module.ts'
import type { Https } from './modules/https/module.ts'
import { createInvitations } from './modules/invitations/module.ts'
import { keyRoutes } from './modules/keys.ts'
import { metricsRoutes } from './modules/metrics.ts'
import { peopleRoutes } from './modules/people.ts'
import { createReadiness } from './modules/readiness.ts'
import { createS3 } from './modules/s3/module.ts'
import { searchRoutes } from './modules/search.ts'
import { settingsRoutes } from './modules/settings.ts'
import { setupRoutes } from './modules/setup.ts'
import { createShares } from './modules/shares/module.ts'
import { codeRoutes } from './modules/sign-in/codes/routes.ts'
import { secondFactorsOf } from './modules/sign-in/codes/service.ts'
import { confirmRoutes } from './modules/sign-in/confirm/routes.ts'
import { deviceRoutes } from './modules/sign-in/devices/routes.ts'
import { forwardedRoutes } from './modules/sign-in/forwarded/routes.ts'
import { linkRoutes } from './modules/sign-in/link/routes.ts'
import { oidcRoutes, providerSettingRoutes } from './modules/sign-in/oidc/routes.ts'
import { openOidc, signOutUrl } from './modules/sign-in/oidc/sign-in.ts'
import { originRoutes, passkeyRoutes } from './modules/sign-in/passkeys/routes.ts'
import { passwordRoutes } from './modules/sign-in/password/routes.ts'
import { methodRoutes } from './modules/sign-in/routes.ts'
import { waysInRoutes } from './modules/sign-in/ways-in/routes.ts'
import { createSiteRequests } from './modules/sites/fast.ts'
import { SiteHosts } from './modules/sites/hosts.ts'
import { createSites } from './modules/sites/module.ts'
import { RuleFiles } from './modules/sites/rule-files.ts'
import { statsRoutes } from './modules/stats/module.ts'
import { createThumbnails } from './modules/thumbnails/module.ts'
import { createTrash } from './modules/trash/module.ts'
import { createUpdates } from './modules/updates.ts'
import { createUploads } from './modules/uploads/module.ts'
import { createUsers } from './modules/users/module.ts'
import { versionRoutes } from './modules/versions.ts'
import { createWebhooks } from './modules/webhooks/module.ts'
import { type Job, onEachServer } from './platform/jobs.ts'
import { RateLimiter } from './platform/rate-limit.ts'
import { createPages } from './views/pages.ts'

export type Modules = ReturnType<typeof createModules>['modules']

/**
 * Makes every module, and the limiters and counts that all routes share. A module that uses the service of another is
 * handed it here by name.
 */
export function createModules(context: Context, dashboard: Assets, https: Https | undefined) {
  const { config, clock } = context
  const requestCounts = new RequestCounts()
  const pictures = createThumbnails(context)
  const siteDeps = { ...context, hosts: new SiteHosts(context), rules: new RuleFiles(context), https }
  const siteRequests = createSiteRequests(siteDeps)
  const hosting = createHosting(context, {
    requestCounts,
    pictures: pictures.thumbnails,
    sites: siteRequests,
  })
  const { traffic } = hosting
  const files = { ...context, traffic, pages: createPages(context) }
  const apiLimiter = new RateLimiter({ limit: config.apiRequestsPerMinute, monotonic: clock.monotonic })
  const sites = createSites({ ...siteDeps, traffic })
  const startedAt = clock.now()
  const uploads = createUploads(context)
  const respondWithArchive = createArchiveResponder(context)
  const oidc = openOidc(context)
  const s3 = createS3(context)
  const updates = createUpdates(context)
  const modules = {
    setup: { routes: setupRoutes(context) },
    readiness: createReadiness(context),
    signInMethods: { routes: methodRoutes(context) },
    auth: {
      routes: authRoutes({
        ...context,
        secondFactorsOf: (userId) => secondFactorsOf(context, userId),
        signOutUrl: (session) => signOutUrl(oidc, session),
      }),
    },
    codes: { routes: codeRoutes(context) },
    confirm: { routes: confirmRoutes(context) },
    waysIn: { routes: waysInRoutes(context) },
    passwords: { routes: passwordRoutes(context) },
    passkeys: { routes: passkeyRoutes(context) },
    passkeyOrigins: { routes: originRoutes(context) },
    forwarded: { routes: forwardedRoutes(context) },
    devices: { routes: deviceRoutes(context) },
    oidc: { routes: oidcRoutes(context, oidc) },
    providerSettings: { routes: providerSettingRoutes(context, oidc) },
    signInLinks: { routes: linkRoutes(context) },
    account: { routes: accountRoutes(context) },
    users: createUsers(context),
    invitations: createInvitations(context),
    keys: { routes: keyRoutes(context) },
    activity: createActivity(context),
    files: { routes: fileRoutes(files) },
    items: { routes: itemRoutes(context) },
    pictures,
    versions: { routes: versionRoutes(context) },
    favorites: createFavorites(context),
    uploads,
    folders: { routes: folderRoutes(files) },
    people: { routes: peopleRoutes(context) },
    search: { routes: searchRoutes(context) },
    archives: { routes: archiveRoutes(context, respondWithArchive) },
    hosting,
    cdn: createCdn(context),
    trash: createTrash(context),
    shares: createShares(context, {
      respondWithArchive,
      tus: uploads.tus,
      thumbnails: pictures.thumbnails,
      dashboard,
    }),
    // Before all that is told by paths and signatures: a site's host has nothing else.
    sites,
    // Before what is told by its path: with a signature in the header, a bucket may have any name.
    s3,
    dav: createDav(context, { downloadFile, replaceContent, copyAs, copyOver, replaceFolder }),
    webhooks: createWebhooks(context),
    fetches: createFetches(context),
    changes: createChanges(context),
    settings: { routes: settingsRoutes(context) },
    updates,
    https: https ?? {},
    stats: { routes: statsRoutes({ ...context, traffic, updates, https }) },
    metrics: { routes: metricsRoutes({ ...context, traffic, requestCounts, apiLimiter, startedAt }) },
  }
  const limiters = {
    api: apiLimiter,
    hosting: hosting.limiter,
    sites: siteRequests.limiter,
    upload: uploads.limiter,
    s3: s3.limiter,
  }
  return { modules, limiters, requestCounts }
}

export type Limiters = ReturnType<typeof createModules>['limiters']

/** Exchanges the counts of rate limits with the servers that share them. */
export async function exchangeLimits(
  { store: { throttles } }: Pick<Context, 'store'>,
  limiters: Limiters,
): Promise<void> {
  if (!throttles) return
  for (const [name, limiter] of Object.entries(limiters)) await limiter.exchange(name, throttles.add)
}

/** Jobs of the limits that several servers share. */
export const limiterJobs = (context: Pick<Context, 'store'>, limiters: Limiters): readonly Job[] =>
  context.store.throttles
    ? [
        onEachServer('* * * * * *', 'Exchanging the counts of rate limits', () =>
          exchangeLimits(context, limiters),
        ),
      ]
    : []
