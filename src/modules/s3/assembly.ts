import type { Context } from '../../access/context.ts'
import { receiveLimits } from '../../reception/receive.ts'
import type { StagedFile, Staging } from '../../store/bytes.ts'
import { type ResumableRow, UnknownOutcome } from '../../store/rows.ts'
import { S3Error } from './errors.ts'

type Deps = Pick<Context, 'store' | 'random' | 'log'>
/** Part whose bytes become part of the object. */
type Chosen = Pick<ResumableRow, 'id' | 'length'>

/** Assemblies that run ahead of their uploads' ends; other uploads are assembled at their end. */
const MAX_AHEAD = 32

/**
 * Writes the parts of an upload to one file in their order, while later ones arrive, so that its completion has only the
 * rest to write. What it has is lost with the process, which costs time only: the parts stay until the upload has ended.
 */
class Assembly {
  readonly #deps: Deps
  readonly #uploadId: string
  readonly #staging: Staging
  readonly #staged: Promise<StagedFile>
  /** Ids of the parts that it has written, or is writing. */
  readonly #taken: string[] = []
  #chosen: readonly Chosen[] | undefined
  #isGivenUp = false
  #change = Promise.withResolvers<void>()

  private constructor(deps: Deps, uploadId: string, staging: Staging) {
    this.#deps = deps
    this.#uploadId = uploadId
    this.#staging = staging
    this.#staged = staging.receive(this.#bytes(), receiveLimits(deps))
    // Its failure counts only for the request that completes the upload.
    this.#staged.catch(() => {})
  }

  static async begin(deps: Deps, uploadId: string): Promise<Assembly> {
    return new Assembly(deps, uploadId, await deps.store.stage(deps.random.id()))
  }

  /** Looks for the next part. */
  advance(): void {
    this.#change.resolve()
  }

  /** Writes the rest of these parts; returns `undefined` when it has taken another part. */
  async follow(chosen: readonly Chosen[]): Promise<StagedFile | undefined> {
    if (this.#taken.some((id, index) => chosen[index]?.id !== id)) return undefined
    this.#chosen = chosen
    this.advance()
    const staged = await this.#staged
    await this.#staging.sync()
    return staged
  }

  async discard(): Promise<void> {
    this.#isGivenUp = true
    this.advance()
    await this.#staged.catch(() => {})
    await this.#staging
      .discard()
      .catch((error) =>
        this.#deps.log.error('Staged files could not be removed; the next start tries again', error),
      )
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    const { store } = this.#deps
    for (;;) {
      const change = this.#change.promise
      const part = await this.#next()
      if (this.#isGivenUp) throw new Error('The upload has ended')
      if (part) {
        this.#taken.push(part.id)
        const partial = await store.openPartial(part.id, part.length)
        if (!partial) throw new S3Error('InvalidPart')
        yield* partial.read()
      } else if (this.#chosen) return
      else {
        await change
        this.#change = Promise.withResolvers()
      }
    }
  }

  async #next(): Promise<Chosen | undefined> {
    const index = this.#taken.length
    return this.#chosen ? this.#chosen[index] : this.#deps.store.resumables.partAt(this.#uploadId, index + 1)
  }
}

/** Assemblies of this process. */
export class Assemblies {
  readonly #deps: Deps
  readonly #ahead = new Map<string, Promise<Assembly>>()
  readonly #ending = new Map<string, Promise<unknown>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Continues the assembly of an upload, whose next part may have arrived. */
  advance(uploadId: string): void {
    const { store, log } = this.#deps
    // Parts arrive at any server, and each would read them from the object store.
    if (store.isShared) return
    const known = this.#ahead.get(uploadId)
    if (!known && this.#ahead.size >= MAX_AHEAD) return
    const assembly = known ?? Assembly.begin(this.#deps, uploadId)
    this.#ahead.set(uploadId, assembly)
    assembly.then(
      (begun) => begun.advance(),
      (error) => {
        this.#ahead.delete(uploadId)
        log.error('The parts of an upload could not be assembled ahead of its end', error)
      },
    )
  }

  /** Runs `work` when no other completion of the upload runs in this process. */
  async alone<Answer>(uploadId: string, work: () => Promise<Answer>): Promise<Answer> {
    for (let other = this.#ending.get(uploadId); other; other = this.#ending.get(uploadId))
      await other.catch(() => {})
    const running = work().finally(() => this.#ending.delete(uploadId))
    this.#ending.set(uploadId, running)
    return running
  }

  /** Runs `use` with the bytes of these parts in one file, which is removed at its end unless the outcome is unknown. */
  async assemble<Answer>(
    uploadId: string,
    chosen: readonly Chosen[],
    use: (staged: StagedFile) => Promise<Answer>,
  ): Promise<Answer> {
    let assembly = await this.#take(uploadId)
    let staged = await assembly?.follow(chosen).catch(() => undefined)
    if (!assembly || !staged) {
      await assembly?.discard()
      this.#deps.store.assertRoom(chosen.reduce((sum, { length }) => sum + length, 0))
      assembly = await Assembly.begin(this.#deps, uploadId)
    }
    let isKept = false
    try {
      staged ??= await assembly.follow(chosen)
      if (!staged) throw new S3Error('InvalidPart')
      return await use(staged)
    } catch (error) {
      isKept = error instanceof UnknownOutcome
      throw error
    } finally {
      if (!isKept) await assembly.discard()
    }
  }

  /** Ends the assembly of an upload that has ended. */
  async end(uploadId: string): Promise<void> {
    const assembly = await this.#take(uploadId)
    await assembly?.discard()
  }

  /** Ends the assemblies of uploads that are gone. */
  async prune(): Promise<void> {
    for (const id of this.#ahead.keys()) if (!(await this.#deps.store.resumables.byId(id))) await this.end(id)
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#ending.values())
    for (const id of this.#ahead.keys()) await this.end(id)
  }

  async #take(uploadId: string): Promise<Assembly | undefined> {
    const assembly = await this.#ahead.get(uploadId)
    this.#ahead.delete(uploadId)
    return assembly
  }
}
