import { openAccess } from './access/access.ts'
import type { Context, TreeContext } from './access/context.ts'
import { accessJobs, flushAccess } from './access/jobs.ts'
import type { PasswordCost } from './access/passwords.ts'
import { whole } from './access/reach.ts'
import type { Assets } from './api/assets.ts'
import type { Module } from './api/module.ts'
import { type App, createApp } from './app.ts'
import { explainDamage } from './catalog/sqlite/damage.ts'
import { createDateStamp } from './http/wire.ts'
import type { Https } from './modules/https/module.ts'
import { withInstance } from './modules/web/instance.ts'
import { createModules, exchangeLimits, type Limiters, limiterJobs, type Modules } from './modules.ts'
import { createClientAddress } from './platform/client-address.ts'
import type { Config } from './platform/config.ts'
import { HeldBytes } from './platform/held-bytes.ts'
import type { HttpsConfig } from './platform/https.ts'
import { type Jobs, scheduleJobs } from './platform/jobs.ts'
import type { Platform, Services } from './platform/platform.ts'
import { rateLimitBucket } from './platform/rate-limit.ts'
import { createTurns, InTurn } from './platform/time.ts'
import { type ObjectStore, openStore, storeJobs } from './store/store.ts'
import { affordableConnections, type CrowdLimits } from './transport/crowd.ts'
import { assertCanListen, listen, type Transport } from './transport/listen.ts'
import { eventOf } from './views/events.ts'
import type { DiskCalls } from './volume/capable.ts'
import { hasDatabaseFolder } from './volume/layout.ts'
import { startWhenThere } from './waiting.ts'

/** Services of the process for the server: configuration, time, randomness and messages. */
interface ServerOptions extends Services {
  config: Config
  /** Object store in place of the configured one. */
  objects?: ObjectStore | undefined
  /** Calls of the disk of the data folder, in place of the system's. */
  disk?: DiskCalls | undefined
  /** Cost of password hashes in place of the recommended one. */
  passwordCost?: PasswordCost
  /** False for a server whose caller runs its jobs. */
  runsJobs?: boolean
  /** Idle timeout of connections in milliseconds, in place of the default. */
  silenceMs?: number | undefined
  /** Files of the web app. */
  dashboard: Assets
  /** Called when the catalog can no longer be trusted: the process must end at once. */
  onFatal: (error: unknown) => void
}

export interface Server {
  /** Port that the server listens on. */
  port: number
  /** Port for HTTPS, if it is on. */
  httpsPort: number | undefined
  /** Shared state, for programs that run the server in their own process. */
  deps: TreeContext
  modules: Modules
  app: App
  jobs: Jobs
  https: Https | undefined
  /** Stops accepting, drains requests within `graceMs`, saves the counts, closes the catalog. */
  stop: (graceMs: number) => Promise<void>
}

/** Returns the object store of the configuration. Its code is loaded only where there is one, for the memory at rest. */
async function configuredObjects(options: ServerOptions): Promise<ServerOptions['objects']> {
  const { objectStore } = options.config
  return objectStore && (await import('./blobs/open.ts')).objectStoreOf(objectStore, options)
}

/** Maximum time a start waits for folder deletions of an earlier process. */
const DISCARD_WAIT_MS = 1500

/**
 * Locks the data folder, recovers what an earlier process left, and listens.
 *
 * @throws {StartError} when the data folder is in use, foreign or damaged.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, log } = options
  const dashboard = withInstance(options.dashboard, config)
  // A new data folder is created only for a server that can listen.
  if (!hasDatabaseFolder(config.dataPath)) {
    assertCanListen(config)
    if (config.https) assertCanListen({ ...config, ...config.https, variable: 'HTTPS_PORT' })
  }
  let isStarted = false
  /** Reason why the start itself must fail. */
  let failure: { error: unknown } | undefined
  const transportOptions = transportOptionsOf(options)
  const objects = options.objects ?? (await configuredObjects(options))
  const open = () =>
    openStore({
      ...options,
      objects,
      damageEvent: (damage) => eventOf(options, 'integrity.failed', damage),
      onUnknownOutcome: (error) => {
        if (isStarted) options.onFatal(explainDamage(error))
        else failure ??= { error }
      },
    })
  const { store, close, release } = config.database
    ? await startWhenThere(open, { ...transportOptions, log })
    : await open()
  try {
    const platform: Platform = {
      ...options,
      nextTurn: createTurns(),
      numbering: new InTurn(),
      heldBytes: new HeldBytes(),
      httpDate: transportOptions.date,
    }
    const context: Context = {
      ...platform,
      store,
      ...(await openAccess(platform, store, options.passwordCost)),
    }
    const https = config.https && (await loadHttps(context, config.https))
    const { modules, limiters, requestCounts } = createModules(context, dashboard, https)
    const list: Module[] = Object.values(modules)
    const app = createApp(context, { modules: list, limiters, requestCounts, dashboard })
    await finishLeftovers(context)
    if (failure) throw failure.error
    const transport = listen({
      ...transportOptions,
      fastPath: modules.hosting.fastPath,
      fetch: app.fetch,
      refuse: app.refuse,
      tls: https && { ...https, plain: https.plain(app.fetch) },
    })
    for (const module of list) module.listening?.(transport.port)
    isStarted = true
    const others = [...storeJobs(store), ...accessJobs(context), ...limiterJobs(context, limiters)]
    const all = [...others, ...list.flatMap((module) => module.jobs ?? [])]
    const jobs = scheduleJobs(all, { log, claim: store.claim, isPaused: options.runsJobs === false })
    const stop = (graceMs: number) => stopAll({ list, limiters, transport, jobs, context, close }, graceMs)
    return {
      port: transport.port,
      httpsPort: transport.tlsPort,
      deps: whole(context),
      modules,
      app,
      jobs,
      https,
      stop,
    }
  } catch (error) {
    await release()
    throw explainDamage(error)
  }
}

/** Loads the code of HTTPS, which is needed when that is on only. */
async function loadHttps(context: Context, config: HttpsConfig): Promise<Https> {
  const { createHttps } = await import('./modules/https/module.ts')
  return createHttps(context, config)
}

function transportOptionsOf({ config, clock, log, silenceMs }: ServerOptions) {
  return {
    host: config.host,
    port: config.port,
    connectionLimits: connectionLimits(config),
    onCrowd: (address: string) =>
      log.info(
        `Connections from ${address} are refused: too many are open (MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, open files). If that is a proxy, name it in TRUST_PROXY`,
      ),
    onError: (error: unknown) => log.error('A response could not be completed', error),
    date: createDateStamp(clock.now),
    monotonic: clock.monotonic,
    silenceMs,
  }
}

/**
 * Finishes what an earlier process left, usually at once; longer work continues beside the requests. A failure is retried
 * each minute.
 */
async function finishLeftovers({ store, log }: Context): Promise<void> {
  const leftovers = store
    .finishLeftovers()
    .catch((error) => log.error('Unfinished operations could not be finished', error))
  await Promise.race([leftovers, Bun.sleep(DISCARD_WAIT_MS)])
}

interface Running {
  list: readonly Module[]
  limiters: Limiters
  transport: Transport
  jobs: Jobs
  context: Context
  /** Closes the catalog. */
  close: () => Promise<void>
}

/**
 * Drains requests within `graceMs`, saves and announces what is only in memory, and closes the catalog. A failure of one
 * part leaves none of the others undone.
 */
async function stopAll(
  { list, limiters, transport, jobs, context, close }: Running,
  graceMs: number,
): Promise<void> {
  const { monotonic } = context.clock
  const until = monotonic() + graceMs
  await Promise.all(list.map(({ leave }) => leave?.(graceMs)))
  for (const module of list) module.drain?.()
  await transport.stop(Math.max(0, until - monotonic()))
  for (const module of list.toReversed()) await module.stop?.()
  jobs.stop()
  const saved = [
    flushAccess(context),
    exchangeLimits(context, limiters),
    ...list.map(({ flush }) => flush?.()),
  ]
  const outcomes: PromiseSettledResult<unknown>[] = await Promise.allSettled(saved)
  outcomes.push(...(await Promise.allSettled(list.map(({ announce }) => announce?.()))))
  outcomes.push(...(await Promise.allSettled([close()])))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw explainDamage(outcome.reason)
}

/** Returns the limits of open connections. All clients of a proxy come from its one address. */
function connectionLimits(config: Config): CrowdLimits {
  const { isProxy } = createClientAddress(config.trustedProxies)
  const affordable = affordableConnections(config.objectStore !== undefined)
  return {
    all: Math.min(config.maxConnections || affordable, affordable),
    each: config.maxConnectionsPerAddress,
    clientOf: (address) => (isProxy(address) ? undefined : rateLimitBucket(address)),
  }
}
