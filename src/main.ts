import { runCommand } from './commands/commands.ts'
import { type Config, readConfig } from './config.ts'
import type { Clock, Log, Random } from './deps.ts'
import { StartError } from './errors.ts'
import { type Server, startServer } from './server.ts'
import { builtAssets } from './web/built.ts'

/** How long transfers in flight may go on once the process was asked to stop. */
const GRACE_MS = 10_000

const clock: Clock = { now: Date.now, monotonic: () => performance.now() }

const random: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  id: () => Bun.randomUUIDv7(),
}

const log: Log = {
  info: (message) => console.log(message),
  error: (message, error) => console.error(`${message}:`, error),
}

/** The outcome of a commit is unknown: answers that are ready go out, then the next start decides. */
function die(error: unknown): void {
  log.error('The database could not be written safely; stopping so that the next start can recover', error)
  setTimeout(() => process.exit(1), 100)
}

function stopOnSignal(server: Server): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    server.stop(GRACE_MS).then(
      () => process.exit(0),
      (error) => {
        log.error('Could not stop cleanly', error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function serve(config: Config): Promise<void> {
  const dashboard = builtAssets()
  if (dashboard.size === 0) log.info('There is no dashboard: `bun run build:dashboard` builds it')
  const server = await startServer({ config, clock, random, log, dashboard, onFatal: die })
  stopOnSignal(server)
  const url = process.env['BASE_URL'] ? config.baseUrl : `http://localhost:${server.port}`
  log.info(`Holdfast is listening on ${url}`)
}

async function main(words: string[]): Promise<void> {
  const [command = 'serve', ...more] = words
  try {
    const config = readConfig(process.env)
    if (command === 'serve' && more.length === 0) await serve(config)
    else process.exitCode = await runCommand(config, words, { clock, random, log })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

await main(process.argv.slice(2))
