import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { openSocket } from '../support/socket.ts'
import { type Limit, median, type Report } from './report.ts'

const ROUNDS = 5
const REQUESTS = 4000
/** Per cent. */
const MAX_DIFFERENCE = 5

/** Whether the time of a 404 tells a private file from a missing key (spec: open points §6). */
export async function benchTiming(signal: AbortSignal): Promise<Report> {
  await using holdfast = await spawnHoldfast()
  await store(holdfast)
  const limits: Limit[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const query of ['', '?exp=4102444800&sig=x']) {
      const keys = ['private.txt', 'missing.txt'].map((name) => `/api/hosting/timing/${name}${query}`)
      const [hidden, missing] = (await compare(holdfast.port, keys, signal)).map(median)
      const times = `${hidden?.toFixed(1)} and ${missing?.toFixed(1)} µs`
      limits.push({
        what: `round ${round}, ${query === '' ? 'no link' : 'forged link'}`,
        value: Math.abs((hidden ?? 0) / (missing ?? 0) - 1) * 100,
        limit: MAX_DIFFERENCE,
        show: (value) => (value === MAX_DIFFERENCE ? `${value} %` : `${value.toFixed(1)} % (${times})`),
      })
    }
  }
  return {
    title: `404 of a private file and of a missing key: difference of the medians of ${REQUESTS} requests each`,
    peer: '',
    comparisons: [],
    limits,
    memory: [],
    notes: [],
  }
}

async function store(holdfast: HoldfastProcess): Promise<void> {
  const { withKey } = await registerWith(holdfast)
  const body = new FormData()
  body.append('files', new Blob(['hidden']), 'private.txt')
  body.append('folder', 'timing')
  body.append('visibility', 'private')
  const response = await holdfast.fetch('/api/files', { method: 'POST', headers: withKey, body })
  if (!response.ok) throw new Error(`The upload was refused: ${await response.text()}`)
}

/** Microseconds of `REQUESTS` requests to each target, over one connection, in pairs of random order. */
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

/** A connection on which one request follows the other; `get` resolves with the microseconds that it took. */
async function openConversation(port: number) {
  const socket = await openSocket(port)
  socket.setNoDelay(true)
  let arrived = () => {}
  socket.on('data', () => arrived())
  return {
    /** The answers are small: each comes in one piece. */
    get: (target: string) =>
      new Promise<number>((resolve) => {
        const begin = performance.now()
        arrived = () => resolve((performance.now() - begin) * 1000)
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      }),
    close: () => socket.destroy(),
  }
}
