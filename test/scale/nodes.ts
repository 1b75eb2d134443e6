import { SQL } from 'bun'
import { type Inside, type InsideOptions, startInside } from '../support/holdfast.ts'
import type { TestPostgres } from '../support/postgres.ts'
import { S3Store } from '../support/s3-store.ts'

const AUTH_SECRET = 'one secret of all servers'

/** Servers that are one instance: each has a data folder of its own. */
export interface Nodes extends AsyncDisposable {
  postgres: TestPostgres
  store: S3Store
  /** Environment of a further server. */
  environment: Record<string, string>
  /** Starts a server. */
  start: (options?: InsideOptions) => Promise<Inside>
  /** Runs SQL beside the servers, and returns its rows. */
  query: (text: string) => Promise<Record<string, unknown>[]>
}

/** Prepares an empty database and an object store for servers in this process, or in others. */
export async function prepareNodes(postgres: TestPostgres): Promise<Nodes> {
  const store = await S3Store.start()
  const environment = {
    DATABASE_URL: postgres.createDatabase(),
    DATABASE_POOL: '5',
    AUTH_SECRET,
    S3_ENDPOINT: store.location.endpoint,
    S3_BUCKET: store.location.bucket,
    S3_REGION: store.location.region,
    S3_ACCESS_KEY_ID: store.location.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.location.secretAccessKey,
  }
  const started: Inside[] = []
  return {
    postgres,
    store,
    environment,
    start: async (options = {}) => {
      const node = await startInside({
        runsJobs: true,
        ...options,
        environment: { ...environment, ...options.environment },
      })
      started.push(node)
      return node
    },
    query: async (text) => {
      await using sql = new SQL({ url: environment.DATABASE_URL, max: 1 })
      return await sql.unsafe(text)
    },
    [Symbol.asyncDispose]: async () => {
      for (const node of started) await node[Symbol.asyncDispose]()
      await store.stop()
    },
  }
}
