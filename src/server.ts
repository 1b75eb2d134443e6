import { KeyUsage } from './access/key-usage.ts'
import { Origins } from './access/origin.ts'
import { createPasswords } from './access/passwords.ts'
import { deriveSecrets, keptSecret } from './access/secrets.ts'
import { SecurityLog } from './access/security-log.ts'
import { SessionUses } from './access/session-uses.ts'
import { endSessionsOfOtherSecret } from './access/sessions.ts'
import { SetupToken } from './access/setup-token.ts'
import { SignInGuard } from './access/sign-in-guard.ts'
import { createHandler } from './app.ts'
import { explainDamage } from './catalog/damage.ts'
import type { Deps } from './deps.ts'
import { createDateStamp } from './http/date.ts'
import { exchangeOf } from './http/exchange.ts'
import { createPages } from './modules/files/pages.ts'
import { createHotFiles } from './modules/hosting/hot-files.ts'
import { createShortcut } from './modules/hosting/shortcut.ts'
import { Traffic } from './modules/hosting/traffic.ts'
import { scheduleJobs } from './modules/jobs/schedule.ts'
import { createRequestCounts } from './modules/metrics/requests.ts'
import { openSettings } from './modules/settings/service.ts'
import { createResumables } from './modules/uploads/resumables.ts'
import type { Assets } from './modules/web/assets.ts'
import { createClientAddress, rateLimitBucket } from './platform/client-address.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Log } from './platform/log.ts'
import type { Random } from './platform/random.ts'
import { createRateLimiter } from './platform/rate-limit.ts'
import { createTurns } from './platform/turns.ts'
import { openStore } from './store/store.ts'
import { affordableConnections, type CrowdLimits } from './transport/crowd.ts'
import { assertCanListen, listen } from './transport/listen.ts'
import { hasDatabaseFolder } from './volume/layout.ts'

/** What the process gives the server: its configuration and where time, chance and messages come from. */
interface ServerOptions {
  config: Config
  clock: Clock
  random: Random
  log: Log
  /** The web app's files. */
  dashboard: Assets
  /** Called when the catalog can no longer be trusted: the process must end at once. */
  onFatal: (error: unknown) => void
}

export interface Server {
  /** The port that was taken. */
  port: number
  deps: Deps
  /** Stops accepting, finishes what is in flight within `graceMs`, saves the counts, closes the catalog. */
  stop: (graceMs: number) => Promise<void>
}

const FAILED_SIGN_INS_PER_MINUTE = 10
/** How long a start waits for the deletes of folders that an earlier process began. */
const DISCARD_WAIT_MS = 1500

/**
 * Takes the data folder, recovers what an earlier process left, and listens.
 *
 * @throws {StartError} when the data folder is in use, foreign or damaged.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, clock, log } = options
  // A new data folder is made only for a server that can listen.
  if (!hasDatabaseFolder(config.dataPath)) assertCanListen(config)
  let isStarted = false
  /** Why the start itself must fail. */
  let failure: { error: unknown } | undefined
  const { store, root, close, release } = await openStore({
    ...options,
    onUnknownOutcome: (error) => {
      if (isStarted) options.onFatal(explainDamage(error))
      else failure ??= { error }
    },
  })
  try {
    const deps = await createDeps(options, { store, root })
    // Mostly done at once; what takes long goes on beside the requests.
    await Promise.race([store.unfinished.retry(), Bun.sleep(DISCARD_WAIT_MS)])
    if (failure) throw failure.error
    const transport = listen({
      host: config.host,
      port: config.port,
      shortcut: createShortcut(deps),
      ...createHandler(deps),
      connectionLimits: connectionLimits(config),
      onCrowd: (address) =>
        log.info(
          `Connections from ${address} are refused: too many are open (MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, open files). If that is a proxy, name it in TRUST_PROXY`,
        ),
      onError: (error) => log.error('An answer could not be completed', error),
      date: deps.httpDate,
      monotonic: clock.monotonic,
    })
    isStarted = true
    const jobs = scheduleJobs(deps)
    jobs.catchUp()
    const stop = async (graceMs: number) => {
      await transport.stop(graceMs)
      await deps.resumables.settle()
      jobs.stop()
      deps.hotFiles.closeIdle(0)
      const flushes = [
        deps.traffic.flush(),
        deps.keyUsage.flush(),
        deps.sessionUses.flush(),
        deps.securityLog.flush(),
      ]
      await Promise.all(flushes)
        .then(close)
        .catch((error) => {
          throw explainDamage(error)
        })
    }
    return { port: transport.port, deps, stop }
  } catch (error) {
    release()
    throw explainDamage(error)
  }
}

/** Returns the limits of open connections. All clients of a proxy come from its one address. */
function connectionLimits(config: Config): CrowdLimits {
  const { isProxy } = createClientAddress(config.trustedProxies)
  const affordable = affordableConnections()
  return {
    all: Math.min(config.maxConnections || affordable, affordable),
    each: config.maxConnectionsPerAddress,
    clientOf: (address) => (isProxy(address) ? undefined : rateLimitBucket(address)),
  }
}

type Opened = Pick<Deps, 'store'> & { root: string }

async function createDeps(
  { config, clock, random, log, dashboard }: ServerOptions,
  { store, root }: Opened,
): Promise<Deps> {
  const { monotonic } = clock
  const httpDate = createDateStamp(clock.now)
  const { resolve: addressOf, isProxy } = createClientAddress(config.trustedProxies)
  const settings = await openSettings(store, config.startingSettings)
  const secrets = deriveSecrets(config.authSecret ?? keptSecret(root, { random, log }))
  await endSessionsOfOtherSecret({ store }, secrets)
  return {
    config,
    store,
    resumables: createResumables({ store, log }),
    settings,
    secrets,
    passwords: createPasswords(),
    securityLog: new SecurityLog({ store, clock, random, log }),
    origins: new Origins({ config, isProxy }),
    setupToken: new SetupToken({ config, store, random }),
    sessionUses: new SessionUses({ store, clock }),
    traffic: new Traffic({ store, clock }),
    requestCounts: createRequestCounts(),
    keyUsage: new KeyUsage({ store, clock }),
    hotFiles: createHotFiles({ store, settings, clock, httpDate }),
    pages: createPages({ store }),
    nextTurn: createTurns(),
    httpDate,
    dashboard,
    apiLimiter: createRateLimiter({ limit: config.apiRequestsPerMinute, monotonic }),
    hostingLimiter: createRateLimiter({ limit: config.hostingRequestsPerMinute, monotonic }),
    uploadLimiter: createRateLimiter({ limit: config.uploadRequestsPerMinute, monotonic }),
    signInLimiter: createRateLimiter({ limit: FAILED_SIGN_INS_PER_MINUTE, monotonic }),
    signInGuard: new SignInGuard({ monotonic, seed: Buffer.from(random.bytes(4)).readUInt32LE() }),
    addressOf,
    clientAddress: (request) => addressOf(exchangeOf(request).peer, request.headers.get('x-forwarded-for')),
    clock,
    random,
    log,
    startedAt: clock.now(),
  }
}
