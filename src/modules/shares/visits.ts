import type { Context, TreeContext } from '../../access/context.ts'
import type { Device } from '../../http/exchange.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { ShareRow, ShareVisitRow, Work } from '../../store/rows.ts'

/** Visitor of an open share. */
export interface Visit {
  /** Services with the part of the tree that the owner of the share may share. */
  tree: TreeContext
  share: ShareRow
  /** Name of the account that shares. */
  sender: string
  /** Hash of the cookie's id, or of one made of address and user agent. */
  visitor: string
  /** Value of `visitor` for this address and user agent without a cookie. */
  withoutCookie: string
  device: Device
  /** True when a cookie tells this visitor from others with its address and user agent. */
  hasCookie: boolean
  /** True for a request without a cookie. */
  isNew: boolean
  /** Cookies that renew that of the visitor, or name it after its first response. */
  cookies: string[]
  /** False while the share asks for its password. */
  isOpen: boolean
}

/** Outcome of a visit; a file has its id and name. */
interface Outcome {
  what: ShareVisitRow['what']
  fileId?: string
  name?: string
  /** Name that the visitor sent, if it differs. */
  sentName?: string | null
  bytes?: number
}

type Visitor = Pick<Visit, 'share' | 'visitor' | 'device'>

/** Builds the row of a visit. */
export const visitRow = (
  { random, clock }: Pick<Context, 'random' | 'clock'>,
  { share, visitor, device }: Visitor,
  outcome: Outcome,
): ShareVisitRow => ({
  id: random.id(),
  shareId: share.id,
  visitor,
  ...device,
  fileId: null,
  name: null,
  sentName: null,
  bytes: 0,
  ...outcome,
  createdAt: clock.now(),
})

/** Adds a visit to those of a share. */
export function* insertVisit(deps: Context, visitor: Visitor, outcome: Outcome): Work<void> {
  yield* deps.store.shareVisits.insert(visitRow(deps, visitor, outcome))
}

/** Maximum uploads that a visitor sees. */
const MAX_UPLOADS = 100

/** Returns the files that a visitor has sent to a share, newest first. Only a cookie tells visitors apart. */
export const uploadsOf = async ({ store }: Context, visit: Visit): Promise<ShareVisitRow[]> =>
  visit.hasCookie ? store.shareVisits.uploadsOf(visit.share.id, visit.visitor, MAX_UPLOADS) : []

export const recordVisit = (deps: Context, visitor: Visitor, outcome: Outcome): Promise<void> =>
  deps.store.transact(() => insertVisit(deps, visitor, outcome))

/** Records that a visitor sees a share, once in a day by address and user agent. */
export async function recordOpened(deps: Context, { share, withoutCookie, device }: Visit): Promise<void> {
  const seen = { shareId: share.id, visitor: withoutCookie, what: 'opened' } as const
  if (await deps.store.shareVisits.isKnown(seen, deps.clock.now() - DAY_MS)) return
  await recordVisit(deps, { share, visitor: withoutCookie, device }, { what: 'opened' })
}
