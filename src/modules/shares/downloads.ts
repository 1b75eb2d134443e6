import type { Context } from '../../access/context.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { ShareDownloadRow, ShareRow, Work } from '../../store/rows.ts'
import { eventOf, eventShare } from '../../views/events.ts'
import { findOpen, retainsPlace } from './access.ts'
import { endEvent, visitorOf } from './events.ts'
import { shareNotFound } from './rules.ts'
import { insertVisit, type Visit } from './visits.ts'

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
 * then it takes a place under the limit of its share, so that no more can finish than the limit says.
 */
export class Downloads {
  readonly #deps: Context
  readonly #pending = new Set<Promise<void>>()

  constructor(deps: Context) {
    this.#deps = deps
  }

  /**
   * Takes a place under the limit. A visitor retains it for a day, over any number of requests.
   *
   * @throws {Refusal} `not-found` when all places are taken, as for a share that does not exist.
   */
  begin({ share, visitor }: Visit, { item, size }: Download): Promise<void> {
    const { store, clock } = this.#deps
    const deps = this.#deps
    if (share.maxDownloads === null) return Promise.resolve()
    const name = { shareId: share.id, visitor, item }
    return store.transact(function* () {
      // Another download may have been the last since the share was found.
      const { maxDownloads, downloads } = (yield* findOpen(deps, share.slug, { mayBeUsedUp: true })).share
      if (maxDownloads === null || (yield* retainsPlace(deps, name))) return
      const since = clock.now() - DAY_MS
      if (downloads + (yield* store.shareDownloads.unfinished(share.id, since)) >= maxDownloads)
        throw shareNotFound()
      yield* store.shareDownloads.put({
        ...name,
        size,
        ranges: [],
        isFinished: false,
        createdAt: clock.now(),
      })
    })
  }

  /** Adds the bytes that a response has delivered, from `first` on. Failures are logged. */
  delivered(visit: Visit, download: Download, first: number, bytes: number): void {
    if (bytes === 0 && download.size > 0) return
    const { store, log } = this.#deps
    const work = store
      .transact(() => this.#add(visit, download, [first, first + bytes - 1]))
      .catch((error) => log.error('A download of a share could not be counted', error))
    const pending: Promise<void> = work.finally(() => this.#pending.delete(pending))
    this.#pending.add(pending)
  }

  /** Resolves when all that was delivered is counted. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  *#add(visit: Visit, { item, size, name, fileId }: Download, range: Range): Work<void> {
    const { store, clock } = this.#deps
    const { share, visitor } = visit
    const now = clock.now()
    const row = { shareId: share.id, visitor, item }
    const found = yield* store.shareDownloads.find(row)
    const known = found && found.createdAt > now - DAY_MS ? found : undefined
    if (known?.isFinished) return
    const ranges = merge([...(known?.size === size ? known.ranges : []), range])
    const isFinished = size === 0 || ranges.some(([first, last]) => first === 0 && last === size - 1)
    const download: ShareDownloadRow = {
      ...{ ...row, size, isFinished, ranges: isFinished ? [] : ranges },
      createdAt: known && !isFinished ? known.createdAt : now,
    }
    yield* store.shareDownloads.put(download)
    if (!isFinished) return
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
