import { join } from 'node:path'
import { readConfig } from '../../src/platform/config.ts'
import type { S3Location } from '../../src/s3/connection.ts'
import { processorMs } from '../bench/memory.ts'
import type { Account, Holdfast } from '../support/holdfast.ts'
import { startPostgres } from '../support/postgres.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { bundledProgram } from '../support/program.ts'

/** Process of the instance, as far as figures need it. */
export interface Measured extends Pick<Holdfast, 'fetch'> {
  url: string
  /** Returns the CPU time of the process so far, in milliseconds. */
  cpuMs: () => number
}

/** Servers that are one instance: processes on a durable PostgreSQL, with nothing between them and the engines. */
export interface Servers extends AsyncDisposable {
  account: Pick<Account, 'withKey'>
  /** Starts a further server. */
  start: (environment?: Record<string, string>) => Promise<Measured>
}

/** Starts the engines: PostgreSQL, and an object store in memory unless the `S3_*` variables lead to another. */
export async function startServers(): Promise<Servers> {
  const stack = new AsyncDisposableStack()
  try {
    const start = await prepare(stack)
    const account = await registerWith(await start())
    return { account, start, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Returns a function that starts a server. The stack ends everything. */
async function prepare(stack: AsyncDisposableStack): Promise<Servers['start']> {
  const program = bundledProgram()
  const postgres = stack.use(await startPostgres({ isDurable: true }))
  const { location, stop } = await startStore()
  stack.defer(stop)
  const shared = {
    DATABASE_URL: postgres.createDatabase(),
    AUTH_SECRET: 'one secret of all servers',
    S3_ENDPOINT: location.endpoint,
    S3_BUCKET: location.bucket,
    S3_REGION: location.region,
    S3_ACCESS_KEY_ID: location.accessKeyId,
    S3_SECRET_ACCESS_KEY: location.secretAccessKey,
    S3_PREFIX: `servers-${Date.now()}/`,
  }
  return async (environment = {}) => {
    const { url, child } = stack.use(
      await spawnHoldfast({ program, environment: { ...shared, ...environment } }),
    )
    return {
      url,
      fetch: (path, init) => fetch(`${url}${path}`, init),
      cpuMs: () => processorMs(child.pid),
    }
  }
}

async function startStore(): Promise<{ location: S3Location; stop: () => void }> {
  const given = readConfig(process.env).objectStore
  if (given) return { location: given, stop: () => {} }
  const command = [process.execPath, join(import.meta.dir, '../support/s3-server.ts')]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  return { location: JSON.parse(Buffer.from(value ?? []).toString()), stop: () => child.kill() }
}
