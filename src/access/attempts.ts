import type * as T from 'typebox'
import Value from 'typebox/value'
import { newToken } from '../platform/random.ts'
import type { AttemptRow, Work } from '../store/rows.ts'
import type { Core } from '../store/store.ts'
import { hashToken } from './sessions.ts'

/** Sign-in of one kind that has begun: what it needs when it goes on. */
export interface Attempt<Facts> {
  /** Account that it is for; null while that is unknown. */
  userId: string | null
  facts: Facts
  /** Tries that were counted so far, this one included. */
  tries: number
}

interface AttemptDeps extends Pick<Core, 'clock' | 'random'> {
  store: Pick<Core['store'], 'attempts'>
}

/**
 * Creates the functions of the attempts of one kind. An attempt is a row, so that any server can go on with it, and its
 * token is stored as a hash only. It ends when it is taken, and when its time is over.
 *
 * @param lifetimeMs Time after which it counts as gone, in milliseconds.
 */
export function attemptsOf<Facts extends T.TObject>(
  { store, clock, random }: AttemptDeps,
  { kind, facts, lifetimeMs }: { kind: AttemptRow['kind']; facts: Facts; lifetimeMs: number },
) {
  const read = (row: AttemptRow | undefined): Attempt<T.Static<Facts>> | undefined => {
    if (!row || row.kind !== kind || row.expiresAt <= clock.now()) return undefined
    return { userId: row.userId, facts: Value.Parse(facts, row.data), tries: row.wrong }
  }
  return {
    /** Begins an attempt and returns its token, for a cookie or a link. */
    *begin(userId: string | null, data: T.Static<Facts>): Work<string> {
      const token = newToken(random)
      const expiresAt = clock.now() + lifetimeMs
      yield* store.attempts.insert({ tokenHash: hashToken(token), kind, userId, data, wrong: 0, expiresAt })
      return token
    },
    /** Returns an attempt and leaves it as it is. */
    *find(token: string): Work<Attempt<T.Static<Facts>> | undefined> {
      return read(yield* store.attempts.byToken(hashToken(token)))
    },
    /** Ends an attempt and returns it: of two requests with one token, one gets it. */
    *take(token: string): Work<Attempt<T.Static<Facts>> | undefined> {
      return read(yield* store.attempts.take(hashToken(token)))
    },
    /** Counts a try before it is judged, so that many at once count as many. */
    *count(token: string): Work<Attempt<T.Static<Facts>> | undefined> {
      return read(yield* store.attempts.count(hashToken(token)))
    },
  }
}
