import { scopesOf } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { Refusal } from '../../platform/errors.ts'
import { type Admission, quotaBudget } from '../../reception/arriving.ts'
import type { ShareRow } from '../../store/rows.ts'
import { findOpen } from './access.ts'
import { shareNotFound } from './rules.ts'
import type { Visit } from './visits.ts'

/** Name under which the arriving bytes of all visitors are counted. */
const VISITORS = 'visitors'
/** Part of the free space that unfinished uploads of all visitors may take. */
const FREE_PART = 10

/**
 * Returns how many bytes of unfinished uploads all visitors and a share may hold, and how many of them rows count. A share
 * without `maxBytes` leaves half to the others, so that one link never stops them.
 */
export function* budgetsOf({ store, heldBytes }: Context, { id, maxBytes }: ShareRow) {
  const { ofShare, ofAll } = yield* store.resumables.unfinishedBytes(id)
  // The bytes that visitors hold are part of their room, so a file does not shrink its own budget.
  const all = (store.space().available + ofAll + heldBytes.of(VISITORS)) / FREE_PART
  return { share: Math.floor(Math.min(maxBytes ?? all / 2, all)), all, ofShare, ofAll }
}

/** Returns the refusal of a visitor while unfinished uploads of others take all room. */
export const refuseBusy = () =>
  new Refusal('share-busy', 'Too much is being sent at the moment. Try again in a few minutes', {
    headers: { 'Retry-After': '60' },
  })

/** Returns the admission of bytes that a visitor sends: its share must be open and take files. */
export const admissionOf = ({ tree, share: { id, slug, userId } }: Visit): Admission => ({
  of: [userId, id, VISITORS],
  unchecked: 0,
  *budgets() {
    const { share, owner } = yield* findOpen(tree, slug)
    if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
    const budgets = yield* budgetsOf(tree, share)
    return [
      yield* quotaBudget(tree, { userId, isOfVisitors: true }),
      { of: id, left: budgets.share - budgets.ofShare, refuse: refuseBusy },
      { of: VISITORS, left: budgets.all - budgets.ofAll, refuse: refuseBusy },
    ]
  },
})
