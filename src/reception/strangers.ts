import type { Context } from '../access/context.ts'
import { Refusal } from '../platform/errors.ts'
import type { Work } from '../store/rows.ts'
import { type Admission, type Budget, quotaBudget } from './arriving.ts'

/** Name under which the arriving bytes of all strangers are counted. */
const STRANGERS = 'strangers'
/** Part of the free space that unfinished uploads of all strangers may take. */
const FREE_PART = 10

/** Share or signed link by which strangers send files for an account. */
interface Way {
  id: string
  userId: string
  /** Maximum bytes of all files; null without. */
  maxBytes: number | null
}

/**
 * Returns how many bytes of unfinished uploads all strangers, and those of one share or link, may hold, and how many of
 * them rows count. One without `maxBytes` leaves half to the others, so that one address never stops them.
 */
export function* budgetsOf({ store, heldBytes }: Context, { id, maxBytes }: Omit<Way, 'userId'>) {
  const rows = yield* store.resumables.unfinishedBytes(id)
  // The bytes that strangers hold are part of their room, so a file does not shrink its own budget.
  const all = (store.space().available + rows.ofAll + heldBytes.of(STRANGERS)) / FREE_PART
  return { own: Math.floor(Math.min(maxBytes ?? all / 2, all)), all, rows }
}

/** Returns the refusal of a stranger while unfinished uploads of others take all room. */
export const refuseBusy = () =>
  new Refusal('share-busy', 'Too much is being sent at the moment. Try again in a few minutes', {
    headers: { 'Retry-After': '60' },
  })

/**
 * Returns the admission of bytes that a stranger sends.
 *
 * @param find Finds the way again, and authorizes its account. @throws {Refusal}
 * @param freed Stored bytes that they may replace.
 */
export const strangerAdmission = (
  deps: Context,
  { id, userId }: Omit<Way, 'maxBytes'>,
  find: () => Work<Pick<Way, 'maxBytes'>>,
  freed = 0,
): Admission => ({
  of: [userId, id, STRANGERS],
  unchecked: 0,
  *budgets(): Work<Budget[]> {
    const { own, all, rows } = yield* budgetsOf(deps, { id, ...(yield* find()) })
    return [
      yield* quotaBudget(deps, { userId, freed, isOfVisitors: true }),
      { of: id, left: own - rows.own, refuse: refuseBusy },
      { of: STRANGERS, left: all - rows.ofAll, refuse: refuseBusy },
    ]
  },
})
