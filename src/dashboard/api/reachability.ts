import { createStore } from '../lib/store.ts'
import { client, hasStatus } from './client.ts'

/** Milliseconds between two looks for a server that gave no answer. */
const LOOK_MS = 4000

/** False from a request without an answer until the server gives one again. */
export const isReachable = createStore(true)

let timer: ReturnType<typeof setTimeout> | undefined

/** Notes that a request had no answer, and looks for the server until it gives one. */
export function noteUnreachable(): void {
  isReachable.set(() => false)
  timer ??= setTimeout(lookForServer, LOOK_MS)
}

export function noteReachable(): void {
  clearTimeout(timer)
  timer = undefined
  if (!isReachable.get()) isReachable.set(() => true)
}

/** Asks the server whether it is there. The health check does not count towards the limit on requests. */
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
