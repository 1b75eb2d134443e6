import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import type { S3Client } from './client.ts'
import { S3Error } from './error.ts'
import { bytesPayload } from './payload.ts'

/** Shortcomings of an object store, each a sentence for the operator. */
export interface ProbeResult {
  /** Abilities that Holdfast needs and the store lacks. */
  missing: string[]
  /** Circumstances that cost speed or safety. */
  advice: string[]
}

interface ProbeOptions {
  /** Beginning of the keys of the probe's objects, which are deleted at the end. */
  prefix: string
  clock: Clock
  random: Random
}

/** Smallest part that may be followed by another, in bytes (S3 user guide, multipart upload limits). */
const MIN_PART_BYTES = 5 * 1024 ** 2
/** Response time of the fastest of some small requests that deserves advice, in milliseconds. */
const SLOW_MS = 30
/** Difference of the clocks that deserves advice, in milliseconds. The store refuses requests at 15 minutes. */
const SKEW_MS = 60_000

/**
 * Tries on a few small objects everything that Holdfast asks of a store.
 *
 * @throws {S3Error} when the store is away, or refuses the account.
 */
export async function probe(client: S3Client, options: ProbeOptions): Promise<ProbeResult> {
  const found = new Probe(client, options)
  try {
    return await found.run()
  } finally {
    await found.cleanUp()
  }
}

class Probe {
  readonly #client: S3Client
  readonly #options: ProbeOptions
  readonly #key: string
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #result: ProbeResult = { missing: [], advice: [] }

  constructor(client: S3Client, options: ProbeOptions) {
    this.#client = client
    this.#options = options
    this.#key = `${options.prefix}probe/${Buffer.from(options.random.bytes(8)).toString('hex')}`
    this.#bytes = new Uint8Array(options.random.bytes(4096))
  }

  async run(): Promise<ProbeResult> {
    await this.#client.put(this.#key, bytesPayload(this.#bytes))
    await this.#needs('read a range of an object', () => this.#reads(this.#key, this.#bytes))
    await this.#needs('copy an object', () => this.#copies())
    await this.#needs('list objects', () => this.#lists())
    await this.#needs('receive an object in parts', () => this.#joinsParts())
    await this.#needs('refuse bytes that do not match their signed SHA-256', () => this.#refusesOtherBytes())
    await this.#needs('delete several objects in one request', () => this.#deletes())
    await this.#adviseOnOverwriting()
    await this.#adviseOnTime()
    return this.#result
  }

  /** Removes the objects of the probe as far as it can. */
  async cleanUp(): Promise<void> {
    for (const key of this.#keys()) await this.#client.remove(key).catch(() => {})
  }

  #keys(): string[] {
    return [this.#key, `${this.#key}-copy`, `${this.#key}-parts`, `${this.#key}-other`]
  }

  /** Adds an ability to the missing ones, unless `works` resolves to true. A store that is away is no such lack. */
  async #needs(ability: string, works: () => Promise<boolean>): Promise<void> {
    let reason = ''
    try {
      if (await works()) return
    } catch (error) {
      if (!(error instanceof S3Error) || error.kind === 'away' || error.status === 403) throw error
      reason = ` (${error.message})`
    }
    this.#result.missing.push(`The object store does not ${ability}${reason}.`)
  }

  async #reads(key: string, bytes: Uint8Array): Promise<boolean> {
    const [first, last] = [1000, 1999]
    const range = await this.#client.read(key, { first, last }, bytes.length)
    return range !== undefined && Buffer.from(range).equals(bytes.subarray(first, last + 1))
  }

  async #copies(): Promise<boolean> {
    const to = `${this.#key}-copy`
    const isCopied = await this.#client.copy({ from: this.#key, to, size: this.#bytes.length })
    return isCopied && (await this.#reads(to, this.#bytes))
  }

  async #lists(): Promise<boolean> {
    for await (const { key, size } of this.#client.list(this.#key))
      if (key === this.#key) return size === this.#bytes.length
    return false
  }

  async #joinsParts(): Promise<boolean> {
    const { uploads } = this.#client
    const key = `${this.#key}-parts`
    const uploadId = await uploads.start(key)
    try {
      const first = await uploads.put(
        { key, uploadId, number: 1 },
        bytesPayload(new Uint8Array(MIN_PART_BYTES)),
      )
      const second = await uploads.put({ key, uploadId, number: 2 }, bytesPayload(this.#bytes))
      if ((await uploads.parts(key, uploadId))?.length !== 2) return false
      await uploads.complete(key, uploadId, [first, second])
    } catch (error) {
      await uploads.abort(key, uploadId).catch(() => {})
      throw error
    }
    const last = MIN_PART_BYTES + this.#bytes.length - 1
    const end = await this.#client.read(key, { first: MIN_PART_BYTES, last }, last + 1)
    return end !== undefined && Buffer.from(end).equals(this.#bytes)
  }

  async #refusesOtherBytes(): Promise<boolean> {
    const { sha256 } = bytesPayload(new Uint8Array())
    try {
      await this.#client.put(`${this.#key}-other`, { ...bytesPayload(this.#bytes), sha256 })
      return false
    } catch (error) {
      return error instanceof S3Error && error.kind === 'refused'
    }
  }

  async #deletes(): Promise<boolean> {
    const keys = this.#keys()
    await this.#client.removeMany(keys)
    for (const key of keys) if (await this.#client.head(key)) return false
    return true
  }

  async #adviseOnOverwriting(): Promise<void> {
    await this.#client.put(this.#key, bytesPayload(this.#bytes))
    if (await this.#client.put(this.#key, bytesPayload(new Uint8Array()), { ifAbsent: true }))
      this.#result.advice.push(
        'The object store ignores If-None-Match. Holdfast never uses a key twice, but other programs could replace its objects.',
      )
  }

  async #adviseOnTime(): Promise<void> {
    const { clock } = this.#options
    let fastestMs = Number.POSITIVE_INFINITY
    let skewMs = 0
    for (let count = 0; count < 5; count++) {
      const startedAt = clock.monotonic()
      const head = await this.#client.head(this.#key)
      fastestMs = Math.min(fastestMs, clock.monotonic() - startedAt)
      if (head && head.lastModified > 0) skewMs = Math.abs(head.lastModified - clock.now())
    }
    if (fastestMs > SLOW_MS)
      this.#result.advice.push(
        `The object store takes ${Math.round(fastestMs)} ms for the smallest request. If it is on the same network, check that its gateway sets TCP_NODELAY.`,
      )
    if (skewMs > SKEW_MS)
      this.#result.advice.push(
        `The clocks of this machine and of the object store differ by ${Math.round(skewMs / 1000)} s. Requests are refused from 15 minutes on: set both by NTP.`,
      )
  }
}
