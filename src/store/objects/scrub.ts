import { count } from '../../platform/amounts.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { EngineParts } from '../engine.ts'
import { ContentScrub, type Scrub } from '../scrub.ts'
import type { ObjectDeps } from './deps.ts'
import { type BlobDifference, blobProblem, compareBlobs, STRAY_MS } from './verify.ts'

/** Name of the fact that holds the time of the last comparison. */
const COMPARED_AT = 'blobsComparedAt'

/** Blobs whose rows are looked up at once. */
const BATCH = 500

/**
 * Compares the object store with the catalog once a day, and reads every object once in some days: missing and damaged bytes
 * are recorded. Objects that no row knows are logged and stay, because an older database may have been restored.
 */
export class BlobScrub implements Scrub {
  readonly #deps: ObjectDeps
  readonly #reading: ContentScrub
  /** Number of objects without a row at the last comparison. */
  #strays = 0
  #running: Promise<void> = Promise.resolve()
  readonly #isOff: boolean
  #isStopped = false

  /** @param days Days in which every object is read once; 0 for no comparisons either. */
  constructor(deps: ObjectDeps & Pick<EngineParts, 'damageEvent'>, days: number) {
    this.#deps = deps
    this.#isOff = days === 0
    const { reader } = deps.blobs
    this.#reading = new ContentScrub({
      ...deps,
      contents: ({ row }, _, pace) => blobProblem(reader, row, { isRead: true, pace }),
      days,
    })
  }

  async advance(): Promise<void> {
    const { catalog, clock } = this.#deps
    if (this.#isOff) return
    const last = Number((await catalog.instance.get(COMPARED_AT)) ?? 0)
    if (clock.now() - last >= DAY_MS) {
      await this.lookAgain()
      await catalog.transact(() => catalog.instance.set(COMPARED_AT, String(clock.now())))
    }
    await this.#reading.advance()
  }

  lookAgain(): Promise<void> {
    if (this.#isOff) return Promise.resolve()
    const turn = this.#running.then(() => this.#compare())
    this.#running = turn.catch(() => {})
    return turn
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([this.#running, this.#reading.stop()])
  }

  async #compare(): Promise<void> {
    const { blobs } = this.#deps
    let strays = 0
    let batch: BlobDifference[] = []
    const isStopped = () => this.#isStopped
    for await (const difference of compareBlobs({ ...this.#deps, objects: blobs.reader, isStopped })) {
      if (difference.problem === 'not in the catalog') strays += 1
      else batch.push(difference)
      if (batch.length < BATCH) continue
      await this.#record(batch)
      batch = []
    }
    if (this.#isStopped) return
    await this.#record(batch)
    // An object may have been mended since it was found damaged.
    await this.#reading.lookAgain()
    await this.#abortStrays()
    this.#report(strays)
  }

  #report(strays: number): void {
    if (strays > 0 && strays !== this.#strays)
      this.#deps.log.info(
        `The object store has ${count(strays, 'object')} that the database does not know: \`holdfast verify\` lists them`,
      )
    this.#strays = strays
  }

  /** Aborts multipart uploads that no row knows: a lost response leaves one. */
  async #abortStrays(): Promise<void> {
    const { blobs, catalog, clock } = this.#deps
    if (!(await blobs.mayRemove())) return
    for await (const { id, uploadId, startedAt } of blobs.unfinished()) {
      if (startedAt >= clock.now() - STRAY_MS || (await catalog.blobs.byId(id))) continue
      await blobs.abort({ id, uploadId })
    }
  }

  async #record(batch: readonly BlobDifference[]): Promise<void> {
    if (batch.length === 0) return
    const problems = new Map(batch.map(({ id, problem }) => [id, problem]))
    const { files, versions, trashed } = await this.#deps.catalog.blobs.users([...problems.keys()])
    const problemOf = ({ blobId }: { blobId: string | null }) => {
      const problem = problems.get(blobId ?? '')
      return problem === 'not in the catalog' ? undefined : problem
    }
    for (const [place, rows] of [
      ['files', files],
      ['versions', versions.map(({ id, blobId }) => ({ id, blobId, name: id }))],
      ['trash', trashed],
    ] as const)
      for (const { id, blobId, name } of rows)
        await this.#reading.record({ place, id, path: name }, problemOf({ blobId }))
  }
}
