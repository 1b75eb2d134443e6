import { scopesOf } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { Refusal } from '../../platform/errors.ts'
import { type Admission, quotaBudget } from '../../reception/arriving.ts'
import type { ShareRow } from '../../store/rows.ts'
import { findOpen } from './access.ts'
import { shareNotFound } from './rules.ts'
import type { Visit } from './visits.ts'

/** Bytes of unfinished uploads of a share without `maxBytes`. */
const SHARE_BYTES = 1024 ** 3
/** Name under which the arriving bytes of all visitors are counted. */
const VISITORS = 'visitors'
/** Part of the free space that unfinished uploads of all visitors may take. */
const FREE_PART = 10

/** Returns how many bytes of unfinished uploads a share may hold. */
export const budgetOf = ({ maxBytes }: ShareRow): number => maxBytes ?? SHARE_BYTES

/** Returns the refusal of a visitor while unfinished uploads of others take all room. */
export const refuseBusy = () =>
  new Refusal('share-busy', 'Too much is being sent at the moment. Try again in a few minutes', {
    headers: { 'Retry-After': '60' },
  })

/** Returns the admission of bytes that a visitor sends: its share must be open and take files. */
export const admissionOf = (deps: Context, { share: { id, slug, userId } }: Visit): Admission => ({
  of: [userId, id, VISITORS],
  unchecked: 0,
  *budgets() {
    const { store } = deps
    const { share, owner } = yield* findOpen(deps, slug)
    if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
    const { ofShare, ofAll } = yield* store.resumables.unfinishedBytes(id)
    const free = store.space().available / FREE_PART
    return [
      yield* quotaBudget(deps, { userId, isOfVisitors: true }),
      { of: id, left: budgetOf(share) - ofShare, refuse: refuseBusy },
      { of: VISITORS, left: free - ofAll, refuse: refuseBusy },
    ]
  },
})
