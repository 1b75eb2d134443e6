import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import type { Inside, InsideOptions } from '../support/holdfast.ts'
import { objectStoreAt } from '../support/objects.ts'
import { S3Store } from '../support/s3-store.ts'

/** Starts a server whose bytes are in an object store in memory. */
export async function startOnObjects(options: Omit<InsideOptions, 'objects'> = {}) {
  const store = await S3Store.start()
  const { clock } = options
  const all = { ...options, objects: objectStoreAt(store.location, { ...(clock && { clock }) }) }
  const holdfast = await startInsideWithAccount(all)
  return {
    store,
    holdfast,
    api: holdfast.api,
    /** Starts the server again on its data folder. */
    restart: (): Promise<Registered<Inside>> => startAgain(holdfast, all),
    [Symbol.asyncDispose]: async () => {
      await holdfast[Symbol.asyncDispose]()
      await store.stop()
    },
  }
}

/** Removes blobs that are due, as the job of each minute does. */
export const sweep = ({ server }: Inside): Promise<void> => server.deps.store.finishLeftovers()

/** Returns the variables of a process whose bytes are in an object store. */
export function variablesOf({ location }: S3Store): Record<string, string> {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = location
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  }
}
