import { scopesOf } from '../../../access/caller.ts'
import type { Context } from '../../../access/context.ts'
import { Refusal, refuseInvalid } from '../../../platform/errors.ts'
import { assertName } from '../../../platform/names.ts'
import { lastComponent } from '../../../reception/receive.ts'
import { refuseFull, type Work } from '../../../store/rows.ts'
import type { Announcement, Arrived, Attempt, Sender } from '../../uploads/sender.ts'
import { findOpen } from '../access.ts'
import { assertType, folderOf, publish } from '../receive.ts'
import { shareNotFound } from '../rules.ts'
import type { Visit } from '../visits.ts'

/** Maximum unfinished uploads of one visitor. */
const MAX_UNFINISHED = 100

/**
 * Visitor that sends uploads to a share. Each reserves its place under the limits when it begins, and returns it when
 * it ends without a file.
 */
export class Visitor implements Sender {
  /** An upload that never begins gives its place back soon. */
  readonly patienceMs = 3_600_000
  readonly #deps: Context
  readonly #visit: Visit

  constructor(deps: Context, visit: Visit) {
    this.#deps = deps
    this.#visit = visit
  }

  get identity() {
    const { share, visitor } = this.#visit
    return { userId: share.userId, keyId: null, shareId: share.id, visitor }
  }

  /** Reads the name alone: folder and visibility are those of the share. */
  async announce(metadata: ReadonlyMap<string, string>) {
    if (metadata.has('replaces')) throw refuseInvalid('A visitor cannot replace files')
    const name = lastComponent(metadata.get('filename') ?? metadata.get('name') ?? '')
    assertName(name, 'The file name in "Upload-Metadata"')
    assertType(this.#visit.share, name)
    return { name, folder: '', visibility: null }
  }

  *authorize({ length }: Announcement): Work<void> {
    const { store } = this.#deps
    const { share, owner } = yield* findOpen(this.#deps, this.#visit.share.slug)
    if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
    if ((yield* store.resumables.countUnfinishedOf(share.id, this.#visit.visitor)) >= MAX_UNFINISHED)
      throw new Refusal('too_large', `A visitor may have at most ${MAX_UNFINISHED} unfinished uploads`)
    if (!(yield* store.shares.addReceived(share.id, { files: 1, bytes: length }))) throw refuseFull()
  }

  async assertPublishable(): Promise<void> {
    await this.#deps.store.read(() => folderOf(this.#deps, this.#visit.share))
  }

  async publish({ row, staged, ...finished }: Arrived): Promise<void> {
    await publish(this.#deps, this.#visit, [{ name: row.name, staged }], { id: row.id, ...finished })
  }

  /** Runs `receive`. Strangers cannot fill the history of the owner with their failures. */
  async recordFailure<Answer>({ toRefusal }: Attempt, receive: () => Promise<Answer>): Promise<Answer> {
    try {
      return await receive()
    } catch (error) {
      throw toRefusal(error)
    }
  }
}
