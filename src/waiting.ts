import { problem } from './api/problem.ts'
import { addCommonHeaders } from './api/route-facts.ts'
import { AwayError, isRefused, Refusal } from './platform/errors.ts'
import type { Log } from './platform/log.ts'
import { listen, type TransportOptions } from './transport/listen.ts'

/** Time between two attempts to start, in milliseconds. */
const RETRY_MS = 1000
/** Time for responses under way when the start has succeeded, in milliseconds. */
const GRACE_MS = 1000

type Waiting = Omit<TransportOptions, 'fastPath' | 'fetch' | 'refuse'> & { log: Log }

/**
 * Runs a start until the servers that it needs can be reached. Requests get 503 meanwhile.
 *
 * @throws {StartError} as the start.
 */
export async function startWhenThere<Value>(start: () => Promise<Value>, options: Waiting): Promise<Value> {
  let attempt = await tryTo(start)
  if (attempt.isStarted) return attempt.value
  const { message } = attempt.reason
  options.log.error(`${message}. All requests get 503 until the start succeeds`, attempt.reason.cause)
  const transport = listen({
    ...options,
    fastPath: { prefix: '/', cached: () => undefined, fresh: () => undefined },
    fetch: async (request) => refuse(request, away()),
    refuse,
  })
  try {
    while (!attempt.isStarted) {
      await Bun.sleep(RETRY_MS)
      attempt = await tryTo(start)
    }
    return attempt.value
  } finally {
    await transport.stop(GRACE_MS)
  }
}

type Attempt<Value> = { isStarted: true; value: Value } | { isStarted: false; reason: Error }

async function tryTo<Value>(start: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { isStarted: true, value: await start() }
  } catch (reason) {
    // The database may also go away in the middle of a start.
    const isAway = reason instanceof AwayError || isRefused(reason, 503)
    if (isAway) return { isStarted: false, reason }
    throw reason
  }
}

const refuse = (request: Request, refusal: Refusal | undefined): Response =>
  addCommonHeaders(problem(refusal, request), { kind: 'app', isSecure: false })

const away = () =>
  new Refusal('unavailable', 'The database cannot be reached, try again soon', {
    headers: { 'Retry-After': '5' },
  })
