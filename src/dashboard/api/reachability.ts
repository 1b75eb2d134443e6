import { createStore } from '../lib/store.ts'
import { client, hasStatus } from './client.ts'

/** Milliseconds between two checks for a server that does not respond. */
const LOOK_MS = 4000

/** False from the first request without a response until the server responds again. */
export const isReachable = createStore(true)

let timer: ReturnType<typeof setTimeout> | undefined

/** Records a request without a response, and checks until the server responds. */
export function noteUnreachable(): void {
  isReachable.set(() => false)
  timer ??= setTimeout(lookForServer, LOOK_MS)
}

export function noteReachable(): void {
  clearTimeout(timer)
  timer = undefined
  if (!isReachable.get()) isReachable.set(() => true)
}

/** Checks that the server responds. The health check does not count towards the rate limit. */
export async function lookForServer(): Promise<void> {
  timer = undefined
  const isUp = await client.health().then(
    () => true,
    (error: unknown) => !hasStatus(error, 0),
  )
  if (isUp) noteReachable()
  else noteUnreachable()
}

addEventListener('offline', noteUnreachable)
addEventListener('online', lookForServer)
