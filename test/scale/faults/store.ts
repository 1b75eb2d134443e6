import { readConfig } from '../../../src/platform/config.ts'
import type { S3Location } from '../../../src/s3/connection.ts'
import { Chance } from '../../support/chance.ts'
import { clientAt } from '../../support/objects.ts'
import { type Fault, S3Store, type SeenRequest } from '../../support/s3-store.ts'
import { Switch } from './switch.ts'

/** Faults of a store that fails and breaks off. */
const FAILURES: readonly Fault[] = [
  'cut the body',
  'hang up',
  'lose the response',
  'send fewer bytes',
  { status: 500, code: 'InternalError' },
  { status: 503, code: 'SlowDown' },
  { status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data' } },
]

/** Faults of reads. To acknowledge a write that was not executed is more than any server can repair. */
const LIES: readonly Fault[] = [...FAILURES, 'send the whole object', 'send a shorter range']

/** Object store behind a proxy: in memory, or the one that the `S3_*` variables lead to. */
export class ObjectPlace implements AsyncDisposable {
  readonly network: Switch
  readonly location: S3Location
  readonly #prefix = `faults-${Date.now()}/`
  readonly #memory: S3Store | undefined
  readonly #client: ReturnType<typeof clientAt>

  private constructor(location: S3Location, network: Switch, memory: S3Store | undefined) {
    this.network = network
    this.location = { ...location, endpoint: `http://127.0.0.1:${network.port}` }
    this.#memory = memory
    this.#client = clientAt(location)
    this.beHonest()
  }

  static async open(): Promise<ObjectPlace> {
    const given = readConfig(process.env).objectStore
    const memory = given ? undefined : await S3Store.start()
    const location = given ?? memory?.location
    if (!location) throw new Error('There is no object store')
    return new ObjectPlace(location, await Switch.open(Number(new URL(location.endpoint).port)), memory)
  }

  get environment(): Record<string, string> {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.location
    return {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      S3_PREFIX: this.#prefix,
    }
  }

  /** True when the store can lie: only the one in memory can. */
  get canLie(): boolean {
    return this.#memory !== undefined
  }

  /** Lets about one of five requests go wrong. */
  lie(seed: number): void {
    const chance = new Chance(seed)
    this.#misbehave(({ method }) =>
      chance.below(5) === 0 ? chance.pick(method === 'GET' ? LIES : FAILURES) : undefined,
    )
  }

  beHonest(): void {
    this.#misbehave(() => undefined)
  }

  #misbehave(choose: (request: SeenRequest) => Fault | undefined): void {
    const memory = this.#memory
    if (!memory) return
    memory.fault = (request) => {
      // Bodies of requests would fill the memory.
      memory.requests.length = 0
      return choose(request)
    }
  }

  /** Returns the ids of all objects of files. */
  async blobIds(): Promise<Set<string>> {
    const ids = new Set<string>()
    const prefix = `${this.#prefix}blobs/`
    for await (const { key } of this.#client.list(prefix)) ids.add(key.slice(prefix.length))
    return ids
  }

  /** Returns the number of unfinished multipart uploads. */
  async countUploads(): Promise<number> {
    let count = 0
    for await (const _ of this.#client.uploads.list(this.#prefix)) count += 1
    return count
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const keys = await Array.fromAsync(this.#client.list(this.#prefix), ({ key }) => key)
    await this.#client.removeMany(keys)
    this.network[Symbol.dispose]()
    await this.#memory?.stop()
  }
}
