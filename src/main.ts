import { networkInterfaces } from 'node:os'
import { createTerminal } from './cli/terminal.ts'
import type { Temporary } from './commands/demo/demo.ts'
import { type Given, isServe, runServe } from './commands/serve.ts'
import { builtAssets } from './modules/web/built.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { StartError } from './platform/errors.ts'
import { addressLines, unclaimedLine } from './platform/greeting.ts'
import type { Log } from './platform/log.ts'
import { createLog, textLog } from './platform/log.ts'
import type { Random } from './platform/random.ts'
import type { Server } from './server.ts'

/** Maximum time of a stop in milliseconds, whatever is left to do. */
const STOP_MS = 10_000
/** Part of it for requests in flight, in milliseconds; counts are saved in the rest. */
const GRACE_MS = 9000
/** Period of a timer that does nothing, in milliseconds. */
const ALIVE_MS = 3_600_000
/** Time after the start until nothing of it is in use, in milliseconds. */
const SETTLED_MS = 3000

const clock: Clock = { now: Date.now, monotonic: performance.now.bind(performance) }

const random: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  id: Bun.randomUUIDv7,
}

/**
 * Ends the process after a commit of unknown outcome: ready responses are sent, and the next start recovers.
 */
const dieBy = (log: Log) => (error: unknown) => {
  log.error('The database could not be synced to disk; stopping so that the next start can recover', error)
  setTimeout(() => process.exit(1), 100)
}

/** Stops the server when a signal arrives, or when `stop` is called. Only the first call has an effect. */
function stopOnSignal(server: Server, log: Log) {
  let stopping = false
  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.info('Could not stop in time: the next start recovers unfinished operations')
      process.exit(1)
    }, STOP_MS)
    server.stop(GRACE_MS).then(
      () => process.exit(exitCode),
      (error) => {
        log.error('Could not stop cleanly', error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  return { stop, isStopping: () => stopping }
}

/** Fills an instance that ends with the process, also when its terminal is closed. */
async function fill(server: Server, log: Log, temporary: Temporary): Promise<void> {
  const { stop, isStopping } = stopOnSignal(server, log)
  process.on('SIGHUP', () => stop(0))
  try {
    await temporary.fill(server)
  } catch (error) {
    if (!isStopping()) log.error('The demo could not be filled', error)
    stop(1)
  }
}

async function serve(config: Config, temporary?: Temporary): Promise<void> {
  if (temporary) process.on('exit', temporary.remove)
  // Loaded on demand, because commands without a server start in a third of the time.
  const { startServer } = await import('./server.ts')
  const log = { ...createLog(config, clock), ...(temporary && { notice: () => {} }) }
  const dashboard = builtAssets()
  if (dashboard.size === 0) log.info('The dashboard is not built: run `bun run build:dashboard`')
  const server = await startServer({ config, clock, random, log, dashboard, onFatal: dieBy(log) })
  if (temporary) return fill(server, log, temporary)
  stopOnSignal(server, log)
  const alias = config.hasBaseUrl ? ` as ${config.baseUrl}` : ''
  log.notice(`Holdfast is listening on http://localhost:${server.port}${alias}`)
  if (server.httpsPort !== undefined) log.notice(`HTTPS is on port ${server.httpsPort}`)
  if (server.https) process.on('SIGHUP', server.https.reload)
  await greet(server, config, log)
  // Frees the machine code of the start, about 5 MiB, and its garbage once it is some, 1 MiB more.
  Bun.shrink()
  setTimeout(() => {
    Bun.gc(true)
    Bun.shrink()
  }, SETTLED_MS).unref()
}

/** Logs the lines after the one with the URL. */
async function greet({ port, deps: { store, setupToken } }: Server, config: Config, log: Log): Promise<void> {
  for (const line of addressLines(config, { port, interfaces: networkInterfaces() })) log.notice(line)
  if ((await store.users.count()) > 0) return
  const { generated } = setupToken
  log.notice(unclaimedLine({ isTokenSet: config.setupToken !== undefined, generatedToken: generated }))
}

function fail(error: unknown): void {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exit(1)
}

const given: Given = {
  environment: process.env,
  clock,
  random,
  log: textLog,
  terminal: createTerminal(process, () => Bun.stdin.stream()),
  serve,
}

/** Runs the command that was asked for. The server loads no other, which saves it a mebibyte of memory. */
async function run(words: readonly string[]): Promise<number> {
  if (isServe(words)) return runServe(given)
  const { runProgram } = await import('./commands/program.ts')
  return runProgram(words, given)
}

// Threads do not keep the process alive, and a command may wait for nothing but one.
const alive = setInterval(() => {}, ALIVE_MS)
// Not awaited here, because a module that waits cannot be bundled with its bytecode.
run(process.argv.slice(2))
  .then((exitCode) => {
    process.exitCode = exitCode
  }, fail)
  .finally(() => clearInterval(alive))
