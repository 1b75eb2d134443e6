import type { Context } from '../../access/context.ts'
import { wordsIn } from '../../api/pages/texts.ts'
import { Refusal } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { ShareDownloadRow, ShareRow, Work } from '../../store/rows.ts'
import { endEvent, eventOf, eventShare } from '../../views/events.ts'
import { findShare, mayRepeat } from './access.ts'
import { visitorOf } from './events.ts'
import { shareNotFound } from './rules.ts'
import { insertVisit, type Visit } from './visits.ts'

/** Time without a byte sent after which a download gives its place back. */
const PLACE_MS = 60_000

/** Maximum ranges of one download that are remembered; more of them only fill up again. */
const MAX_RANGES = 100

type Range = [first: number, last: number]

/** File or archive that a visitor downloads. */
export interface Download {
  /** Id of the file, or the name of an archive. */
  item: string
  /** Length in bytes. */
  size: number
  fileId?: string
  name: string
}

/**
 * Counts downloads. One counts when its visitor was sent every byte, in any number of ranges, once in a day. Until
 * then it takes a place under the limit of its share while it is sent bytes, so that no more can finish than the limit says.
 */
export class Downloads {
  readonly #deps: Context
  readonly #pending = new Set<Promise<void>>()

  constructor(deps: Context) {
    this.#deps = deps
  }

  now(): number {
    return this.#deps.clock.now()
  }

  /**
   * Takes a place under the limit, or keeps it. It is given back when no byte was sent for a minute; the bytes that were
   * sent stay known for a day.
   *
   * @throws {Refusal} `not-found` for a share that is used up, `share-busy` when others have taken all places.
   */
  takePlace({ share, visitor }: Visit, { item, size }: Download): Promise<void> {
    const { store, clock } = this.#deps
    const deps = this.#deps
    if (share.maxDownloads === null) return Promise.resolve()
    const name = { shareId: share.id, visitor, item }
    return store.transact(function* () {
      // Another download may have been the last since the share was found.
      const found = (yield* findShare(deps, share.slug, { mayBeUsedUp: true })).share
      if (found.maxDownloads === null || (yield* mayRepeat(deps, name))) return
      const now = clock.now()
      const known = yield* store.shareDownloads.find(name)
      if (!known || known.sentAt <= now - PLACE_MS) {
        if (found.downloads >= found.maxDownloads) throw shareNotFound()
        const until = yield* takenUntil(deps, found)
        if (until !== undefined) throw refuseTaken(until, now)
      }
      const isSame = known?.size === size && known.sentAt > now - DAY_MS
      const ranges = isSame ? known.ranges : []
      yield* store.shareDownloads.put({ ...name, size, ranges, isFinished: false, sentAt: now })
    })
  }

  /** Records for the owner that a download has begun, once in a day. Failures are logged. */
  started(visit: Visit, download: Download): void {
    this.#write(() => this.#noteStart(visit, download))
  }

  /** Adds the bytes that a response has delivered, from `first` on. Failures are logged. */
  delivered(
    visit: Visit,
    download: Download,
    { first, bytes, sentAt }: { first: number; bytes: number; sentAt: number },
  ): void {
    if (bytes === 0 && download.size > 0) return
    this.#write(() => this.#add(visit, download, { range: [first, first + bytes - 1], sentAt }))
  }

  #write(work: () => Work<void>): void {
    const { store, log } = this.#deps
    const written = store
      .transact(work)
      .catch((error) => log.error('A download of a share could not be counted', error))
    const pending: Promise<void> = written.finally(() => this.#pending.delete(pending))
    this.#pending.add(pending)
  }

  /** Resolves when all that was delivered is counted. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  *#noteStart(visit: Visit, { item, name, fileId }: Download): Work<void> {
    const { store } = this.#deps
    const { share, visitor } = visit
    const since = this.now() - DAY_MS
    const known = yield* store.shareDownloads.find({ shareId: share.id, visitor, item })
    const isCounted = known?.isFinished && known.sentAt > since
    const seen = { shareId: share.id, visitor, what: 'started', name } as const
    if (isCounted || (yield* store.shareVisits.isKnown(seen, since))) return
    yield* insertVisit(this.#deps, visit, { what: 'started', name, ...(fileId !== undefined && { fileId }) })
  }

  *#add(
    visit: Visit,
    { item, size, name, fileId }: Download,
    { range, sentAt }: { range: Range; sentAt: number },
  ): Work<void> {
    const { store, clock } = this.#deps
    const { share, visitor } = visit
    const now = clock.now()
    const row = { shareId: share.id, visitor, item }
    const found = yield* store.shareDownloads.find(row)
    const known = found && found.sentAt > now - DAY_MS ? found : undefined
    if (known?.isFinished) return
    const ranges = merge([...(known?.size === size ? known.ranges : []), range])
    const isFinished = size === 0 || ranges.some(([first, last]) => first === 0 && last === size - 1)
    const download: ShareDownloadRow = {
      ...{ ...row, size, isFinished, ranges: isFinished ? [] : ranges },
      sentAt: isFinished ? now : Math.max(known?.sentAt ?? 0, sentAt),
    }
    yield* store.shareDownloads.put(download)
    if (!isFinished)
      return yield* this.#noteStart(visit, { item, size, name, ...(fileId !== undefined && { fileId }) })
    yield* store.shares.addDownload(share.id)
    yield* insertVisit(this.#deps, visit, {
      what: 'downloaded',
      name,
      bytes: size,
      ...(fileId !== undefined && { fileId }),
    })
    const counted = yield* store.shares.byId(share.id)
    if (counted) yield* this.#announce(counted, visit, { name, size, fileId: fileId ?? null })
  }

  *#announce(
    share: ShareRow,
    { device }: Visit,
    file: { name: string; size: number; fileId: string | null },
  ): Work<void> {
    const deps = this.#deps
    const { webhookDeliveries } = deps.store
    const { downloads, maxDownloads, notify } = share
    const data = { share: eventShare(share), ...file, downloads, maxDownloads, ...visitorOf(device) }
    yield* webhookDeliveries.announce(eventOf(deps, 'share.downloaded', data, notify))
    if (downloads === maxDownloads) yield* webhookDeliveries.announce(endEvent(deps, share, 'used up'))
  }
}

/** Returns the time until which others take all places of a share, unless they are sent more; undefined for none. */
export function* takenUntil(
  { store, clock }: Context,
  { id, maxDownloads, downloads }: ShareRow,
): Work<number | undefined> {
  if (maxDownloads === null) return undefined
  const { count, earliest } = yield* store.shareDownloads.unfinished(id, clock.now() - PLACE_MS)
  return downloads + count < maxDownloads ? undefined : earliest + PLACE_MS
}

const refuseTaken = (until: number, now: number) =>
  new Refusal('share-busy', wordsIn('en').taken(until), {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((until - now) / 1000))) },
  })

/** Joins ranges that touch each other. Past the maximum, the shortest are dropped. */
function merge(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = joined.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  if (joined.length <= MAX_RANGES) return joined
  const longest = joined.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, MAX_RANGES)
  return longest.toSorted(([a], [b]) => a - b)
}
