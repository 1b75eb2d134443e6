import { openSocket } from '../support/socket.ts'
import { callApi } from './api.ts'
import type { Part } from './bench.ts'
import { type Limit, median } from './report.ts'

const ROUNDS = 5
const REQUESTS = 4000
/** Greatest difference, in per cent. */
const MAX_DIFFERENCE = 5

/**
 * Compares the median times of a 404 for a private file and for a missing key. They must not differ noticeably.
 */
export const timing: Part = {
  measure: async (bench) => {
    const body = new FormData()
    body.append('files', new Blob(['hidden']), 'private.txt')
    body.append('folder', 'timing')
    body.append('visibility', 'private')
    await callApi(bench, 'POST', '/files', body)
    const limits: Limit[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const query of ['', '?exp=4102444800&sig=x']) {
        const keys = ['private.txt', 'missing.txt'].map((name) => `/api/hosting/timing/${name}${query}`)
        const [hidden = 0, missing = 0] = (await compare(bench.holdfast.port, keys, bench.signal)).map(median)
        const which = `${query === '' ? 'no link' : 'forged link'}, round ${round}`
        limits.push({
          what: `404 after ${hidden.toFixed(1)} and ${missing.toFixed(1)} µs, ${which}`,
          value: Math.abs(hidden / missing - 1) * 100,
          limit: MAX_DIFFERENCE,
          show: (value) => `${value.toFixed(1)} %`,
        })
      }
    }
    return limits
  },
}

/** Measures `REQUESTS` requests to each target, in microseconds, over one connection in pairs of random order. */
async function compare(port: number, targets: readonly string[], signal: AbortSignal): Promise<number[][]> {
  const ask = await openConversation(port)
  const times: number[][] = targets.map(() => [])
  for (let n = 0; n < REQUESTS; n += 1) {
    signal.throwIfAborted()
    const first = Math.random() < 0.5 ? 0 : 1
    for (const index of [first, 1 - first]) times[index]?.push(await ask.get(targets[index] ?? ''))
  }
  ask.close()
  return times
}

/** Opens a connection for one request at a time. `get` resolves with the microseconds that it took. */
async function openConversation(port: number) {
  const socket = await openSocket(port)
  socket.setNoDelay(true)
  let arrived = () => {}
  socket.on('data', () => arrived())
  return {
    /** Sends a request. Its response is so small that it arrives in one piece. */
    get: (target: string) =>
      new Promise<number>((resolve) => {
        const begin = performance.now()
        arrived = () => resolve((performance.now() - begin) * 1000)
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      }),
    close: () => socket.destroy(),
  }
}
