import { DAY_MS } from '../../platform/time.ts'
import type { Scrub } from '../scrub.ts'
import { type BlobDifference, compareBlobs, STRAY_MS } from './compare.ts'
import type { ObjectDeps } from './deps.ts'

/** Name of the fact that holds the time of the last comparison. */
const COMPARED_AT = 'blobsComparedAt'

/** Blobs whose files are looked up at once. */
const BATCH = 500

/**
 * Compares the object store with the catalog once a day: files without their bytes are recorded as damaged. Objects that
 * no row knows are logged and stay, because an older database may have been restored. The object store itself checks
 * the bytes of its objects.
 */
export class BlobScrub implements Scrub {
  readonly #deps: ObjectDeps
  /** Number of objects without a row at the last comparison. */
  #strays = 0
  #running: Promise<void> = Promise.resolve()
  readonly #isOff: boolean
  #isStopped = false

  /** @param days 0 for no comparisons. */
  constructor(deps: ObjectDeps, days: number) {
    this.#deps = deps
    this.#isOff = days === 0
  }

  async advance(): Promise<void> {
    const { catalog, clock } = this.#deps
    const last = Number((await catalog.instance.get(COMPARED_AT)) ?? 0)
    if (this.#isOff || clock.now() - last < DAY_MS) return
    await this.lookAgain()
    await catalog.transact(() => catalog.instance.set(COMPARED_AT, String(clock.now())))
  }

  lookAgain(): Promise<void> {
    if (this.#isOff) return Promise.resolve()
    const turn = this.#running.then(() => this.#compare())
    this.#running = turn.catch(() => {})
    return turn
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#running
  }

  async #compare(): Promise<void> {
    const { catalog } = this.#deps
    const damaged = new Set<string>()
    let strays = 0
    let batch: BlobDifference[] = []
    for await (const difference of compareBlobs(this.#deps)) {
      if (this.#isStopped) return
      if (difference.problem === 'not in the catalog') strays += 1
      else batch.push(difference)
      if (batch.length < BATCH) continue
      await this.#record(batch, damaged)
      batch = []
    }
    await this.#record(batch, damaged)
    for (const id of await catalog.integrity.fileIds())
      if (!damaged.has(id)) await catalog.transact(() => catalog.integrity.clear(id))
    await this.#abortStrays()
    this.#report(strays)
  }

  #report(strays: number): void {
    if (strays > 0 && strays !== this.#strays)
      this.#deps.log.info(
        `The object store has ${strays} object(s) that the database does not know: \`holdfast verify\` lists them`,
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

  /** Records the problems of files, and adds their ids to `damaged`. */
  async #record(batch: readonly BlobDifference[], damaged: Set<string>): Promise<void> {
    if (batch.length === 0) return
    const { catalog, clock, log } = this.#deps
    const problems = new Map(batch.map(({ id, problem }) => [id, problem]))
    for (const { id, name, blobId } of await catalog.files.byBlobs([...problems.keys()])) {
      const problem = problems.get(blobId ?? '')
      if (problem === undefined) continue
      damaged.add(id)
      if ((await catalog.integrity.byFile(id))?.problem === problem) continue
      log.info(`A stored file is not what it was: ${JSON.stringify(name)}: ${problem}`)
      await catalog.transact(() => catalog.integrity.put({ fileId: id, problem, foundAt: clock.now() }))
    }
  }
}
