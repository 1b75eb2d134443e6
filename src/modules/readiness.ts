import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../access/context.ts'
import { openRoute } from '../access/route.ts'
import { envelope, success } from '../api/schema.ts'
import { Refusal, refuseForNow } from '../platform/errors.ts'

/** Minimum time between two checks, in milliseconds. */
const CHECK_MS = 1000
/** Time within which the database and the store must respond, in milliseconds. */
const RESPONSE_MS = 3000
/** Time for which a server that stops is not ready and still serves, in milliseconds. */
const NOTICE_MS = 3000
/** Time since the last question after which nothing asks any more, in milliseconds. */
const ASKED_MS = 30_000

const STOPPING = 'The server is stopping'
const LATE = 'The database or the store of file contents does not respond in time'

const GET_READINESS = openRoute('System', {
  id: 'getReadiness',
  summary: 'Check that the server can take requests',
  description:
    'For balancers: also checks the object store, at most once a second. One of several servers answers 503 for three ' +
    'seconds before it stops accepting connections, if it was asked within the last half minute.',
  answer: envelope(T.Object({ message: T.String({ examples: ['Holdfast is ready'] }) })),
  facts: { limit: 'none' },
  returns: 'The server, its database and its store respond.',
  refusals: { 503: [STOPPING, LATE] },
})

type ReadinessContext = Pick<Context, 'store' | 'clock'>

/** Answers balancers, which send no more requests to a server that is not ready. */
class Readiness {
  readonly #deps: ReadinessContext
  #check = Promise.resolve()
  #checkedAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #isLeaving = false

  constructor(deps: ReadinessContext) {
    this.#deps = deps
  }

  /** @throws {Refusal} `unavailable`. */
  async assertReady(): Promise<void> {
    const now = this.#deps.clock.monotonic()
    this.#askedAt = now
    if (this.#isLeaving) throw refuseForNow(STOPPING, undefined)
    if (now - this.#checkedAt >= CHECK_MS) {
      this.#checkedAt = now
      this.#check = this.#checkNow()
    }
    await this.#check
  }

  /** Lets balancers know that the server stops, if there are any and others can take its requests. */
  async leave(graceMs: number): Promise<void> {
    const { store, clock } = this.#deps
    this.#isLeaving = true
    if (store.isShared && clock.monotonic() - this.#askedAt < ASKED_MS)
      await Bun.sleep(Math.min(NOTICE_MS, graceMs / 2))
  }

  async #checkNow(): Promise<void> {
    const { store } = this.#deps
    const responses = Promise.all([store.instance.get('volumeId'), store.assertReachable()])
    const late = Bun.sleep(RESPONSE_MS).then(() => Promise.reject(refuseForNow(LATE, undefined)))
    try {
      await Promise.race([responses, late])
    } catch (error) {
      throw error instanceof Refusal ? error : refuseForNow('The database cannot be read', error)
    } finally {
      late.catch(() => {})
      responses.catch(() => {})
    }
  }
}

/** Creates the module that tells balancers whether the server can take requests. */
export function createReadiness(context: ReadinessContext) {
  const readiness = new Readiness(context)
  return {
    routes: new Elysia({ prefix: '/api' }).get(
      '/health/ready',
      async () => {
        await readiness.assertReady()
        return success({ message: 'Holdfast is ready' })
      },
      { ...GET_READINESS },
    ),
    leave: (graceMs: number) => readiness.leave(graceMs),
  }
}
