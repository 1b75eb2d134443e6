import { assertStillAllowed, principalOf } from '../../../access/caller.ts'
import { exchangeOf } from '../../../http/exchange.ts'
import { Refusal, refuseInvalid } from '../../../platform/errors.ts'
import { rateLimitBucket } from '../../../platform/rate-limit.ts'
import type { Admission } from '../../../reception/arriving.ts'
import { recordFailure } from '../../../reception/receive.ts'
import { budgetsOf, refuseBusy } from '../../../reception/strangers.ts'
import { tooLarge } from '../../../store/bytes.ts'
import type { Work } from '../../../store/rows.ts'
import type { Announcement, Arrived, Attempt, Sender } from '../sender.ts'
import { SIGNED_MS } from '../service.ts'
import { admissionOf, type Link, publish } from './link.ts'
import { assertReceivable, maxBytesOf, nameFor } from './receive.ts'

/** Maximum unfinished uploads by one link. */
const MAX_UNFINISHED = 3

/** Stranger that sends the file of a link in pieces. */
export class LinkSender implements Sender {
  readonly patienceMs = SIGNED_MS
  readonly #link: Link
  readonly #address: string

  constructor(link: Link, request: Request) {
    this.#link = link
    this.#address = rateLimitBucket(exchangeOf(request).clientAddress)
  }

  get identity() {
    const { caller, nonce } = this.#link
    return { ...principalOf(caller), shareId: null, visitor: nonce, address: this.#address }
  }

  /** Reads the name alone: folder and visibility are those of the link. */
  async announce(metadata: ReadonlyMap<string, string>) {
    if (metadata.has('replaces')) throw refuseInvalid('An upload by a link has no "replaces"')
    const name = nameFor(this.#link, metadata.get('filename') ?? metadata.get('name'))
    return { name, folder: '', visibility: null }
  }

  // The link decides, whenever it is opened.
  async assertReached(): Promise<void> {}

  *authorize({ length }: Announcement): Work<void> {
    const { tree, caller, nonce, rules } = this.#link
    yield* assertStillAllowed(tree, caller, 'files:write')
    if (length > maxBytesOf(this.#link)) throw tooLarge(maxBytesOf(this.#link))
    if ((yield* tree.store.resumables.countUnfinishedBy(nonce)) >= MAX_UNFINISHED)
      throw new Refusal('too-many', `A link may have at most ${MAX_UNFINISHED} unfinished uploads`)
    const { own } = yield* budgetsOf(tree, { id: nonce, maxBytes: rules.maxBytes ?? null })
    if (length > own) throw refuseBusy()
  }

  async assertPublishable({ name }: Pick<Announcement, 'name'>): Promise<void> {
    await assertReceivable(this.#link, 0, name)
  }

  async admission(): Promise<Admission> {
    return admissionOf(this.#link)
  }

  async publish({ row, staged, ...finished }: Arrived): Promise<void> {
    await publish(this.#link, { name: row.name, staged }, { id: row.id, ...finished })
  }

  recordFailure<Answer>(attempt: Attempt, receive: () => Promise<Answer>): Promise<Answer> {
    const { tree, caller } = this.#link
    return recordFailure(tree, { caller, ...attempt }, receive)
  }
}
