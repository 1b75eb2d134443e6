import type { BlobStaging, StagedBlob } from '../../blobs/blobs.ts'
import type { PartialFile } from '../../volume/partial-file.ts'
import type { Limits } from '../../volume/staging.ts'
import { StoredFile } from '../../volume/stored-file.ts'
import type { StagedFile } from '../content.ts'
import type { Partial, Staging } from '../engine.ts'
import type { ObjectDeps } from './deps.ts'

/** Time after which a blob that was given up is removed: a request under way may still put it there. */
const GIVEN_UP_MS = 60_000

/** Blobs of one upload, each with its row from before its first byte is sent. */
export class ObjectStaging implements Staging {
  readonly #deps: ObjectDeps
  readonly #staging: BlobStaging
  readonly #arrived: string[]

  private constructor(deps: ObjectDeps, staging: BlobStaging, arrived: string[]) {
    this.#deps = deps
    this.#staging = staging
    this.#arrived = arrived
  }

  static async create(deps: ObjectDeps, id: string): Promise<ObjectStaging> {
    const { arrivals, blobs, clock, node, receiving } = deps
    const arrived: string[] = []
    const staging = await blobs.stage(id, ({ id, uploadId = null }) => {
      arrived.push(id)
      receiving.add(id)
      const row = { id, state: 'arriving', node, uploadId, size: 0, notBefore: 0 } as const
      return arrivals.insert({ ...row, createdAt: clock.now() })
    })
    return new ObjectStaging(deps, staging, arrived)
  }

  receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedBlob> {
    return this.#staging.receive(bytes, limits)
  }

  copy(...[{ row }, { leaving }]: Parameters<Staging['copy']>): Promise<StagedFile> {
    const { blobId, size, crc32, sha256, isUtf8 } = row
    if (blobId === null) throw new Error('A file of the data folder cannot be copied as a blob')
    return this.#staging.copy({ id: blobId, size, crc32, sha256, isUtf8 }, leaving)
  }

  sync(): Promise<void> {
    return this.#staging.sync()
  }

  /**
   * Removes local files, and gives up the blobs that were not published. Those without a row were given up by another server
   * while this one was paused: what it has sent since is removed here.
   */
  async discard(): Promise<void> {
    const { blobs, catalog, receiving } = this.#deps
    try {
      await this.#staging.discard()
      const known = await catalog.blobs.statesOf(this.#arrived)
      await giveUp(
        this.#deps,
        known.flatMap(({ id, state }) => (state === 'arriving' ? id : [])),
      )
      const rows = new Set(known.map(({ id }) => id))
      const gone = this.#arrived.filter((id) => !rows.has(id))
      if (gone.length > 0) await blobs.remove(gone)
    } finally {
      for (const id of this.#arrived) receiving.delete(id)
    }
  }
}

/** Gives up the blobs that `discard` could not, because the database was away. */
export async function giveUpInterrupted(deps: ObjectDeps): Promise<void> {
  const { catalog, node, receiving } = deps
  const arriving = await catalog.blobs.arrivingOf(node)
  // In this order: a blob that has a row was in the set before.
  await giveUp(
    deps,
    arriving.filter((id) => !receiving.has(id)),
  )
}

async function giveUp({ catalog, clock }: ObjectDeps, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await catalog.transactToFree(() => catalog.blobs.doomArriving(ids, clock.now() + GIVEN_UP_MS))
}

/** Upload in pieces: they gather in a local file, which becomes a blob once it is complete. */
export class ObjectPartial implements Partial {
  readonly #deps: ObjectDeps
  readonly #partial: PartialFile
  #staging: ObjectStaging | undefined

  constructor(deps: ObjectDeps, partial: PartialFile) {
    this.#deps = deps
    this.#partial = partial
  }

  get size(): number {
    return this.#partial.size
  }

  receive(...args: Parameters<PartialFile['receive']>): Promise<void> {
    return this.#partial.receive(...args)
  }

  read(): AsyncGenerator<Uint8Array, void> {
    return this.#partial.read()
  }

  retreat(size: number): void {
    this.#partial.retreat(size)
  }

  async complete(): Promise<StagedFile> {
    const { path, size, sha256 } = await this.#partial.complete()
    await this.#staging?.discard()
    this.#staging = await ObjectStaging.create(this.#deps, this.#deps.random.id())
    const opened = StoredFile.open(path)
    if (!opened) throw new Error('The file of an upload is gone')
    const staged = await this.#staging.receive(opened.chunks(), { maxBytes: size, claim: () => {} })
    await this.#staging.sync()
    if (staged.sha256 !== sha256) throw new Error('The file of an upload changed while it was sent')
    return staged
  }

  close(): void {
    this.#partial.close()
    void this.#staging
      ?.discard()
      .catch((error) => this.#deps.log.error('Staged files could not be removed', error))
  }

  async remove(): Promise<void> {
    await this.#partial.remove()
    await this.#staging?.discard()
  }
}
