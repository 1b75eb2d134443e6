import { runWrk } from '../bench/wrk.ts'
import { apiOf } from '../support/api.ts'
import { type Measured, startServers } from './servers.ts'

/** Prints figures of one server on PostgreSQL and an object store: rates, times, and its CPU time for each request. */

const SECONDS = 5

interface Figure {
  what: string
  rate: number
  /** Median time of a request on its own, in milliseconds; `undefined` when none was measured. */
  alone: number | undefined
  /** CPU time of the server for one request, in microseconds. */
  cpu: number
}

const print = ({ what, rate, alone, cpu }: Figure) =>
  console.log(`| ${what} | ${alone?.toFixed(2) ?? '-'} ms | ${rate.toFixed(0)}/s | ${cpu.toFixed(0)} µs |`)

/** Repeats a request alone, then from `lanes` at once. */
async function measure(
  what: string,
  { cpuMs }: Measured,
  lanes: number,
  send: () => Promise<unknown>,
): Promise<Figure> {
  const times: number[] = []
  for (const until = performance.now() + 1000; performance.now() < until; ) {
    const began = performance.now()
    await send()
    times.push(performance.now() - began)
  }
  const [began, cpu] = [performance.now(), cpuMs()]
  let count = 0
  const lane = async () => {
    for (; performance.now() - began < SECONDS * 1000; count += 1) await send()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const took = performance.now() - began
  return {
    what,
    rate: (count * 1000) / took,
    alone: times.toSorted((a, b) => a - b)[times.length >> 1],
    cpu: ((cpuMs() - cpu) * 1000) / count,
  }
}

/** Loads a hosted file with wrk, whose own CPU time the figures do not contain. */
async function measureHosting(what: string, server: Measured, key: string): Promise<Figure> {
  const url = `${server.url}/api/hosting/${key}`
  const times: number[] = []
  for (let n = 0; n < 200; n += 1) {
    const began = performance.now()
    await (await fetch(url)).arrayBuffer()
    times.push(performance.now() - began)
  }
  const cpu = server.cpuMs()
  const load = { url, seconds: SECONDS, connections: 64 }
  const { requestsPerSecond } = await runWrk('wrk', load, new AbortController().signal)
  const count = requestsPerSecond * SECONDS
  return {
    what,
    rate: requestsPerSecond,
    alone: times.toSorted((a, b) => a - b)[times.length >> 1],
    cpu: ((server.cpuMs() - cpu) * 1000) / count,
  }
}

/** Prints the figures of one server on PostgreSQL and an object store. */
export async function printFigures(): Promise<void> {
  await using servers = await startServers()
  const exact = await servers.start()
  const lax = await servers.start({ HOSTING_STALENESS_MS: '60000' })
  const uncached = await servers.start({ CACHE_SIZE: '0' })
  const api = apiOf(exact, servers.account)
  const small = await api.upload('small.bin', 'x'.repeat(1024))
  await api.upload('large.bin', 'x'.repeat(256 * 1024))
  let names = 0

  console.log('| request | alone | at once | CPU of the server |\n|---|---|---|---|')
  print(await measure('look-up of a file by id, 32 at once', exact, 32, () => api.file(small.id)))
  print(await measure('list of files, 32 at once', exact, 32, () => api.list({ limit: 100 })))
  const uploads = () => api.upload(`${++names}.bin`, 'x'.repeat(4096), `in ${names % 50}`)
  print(await measure('upload of 4 KiB, 16 at once', exact, 16, uploads))
  print(
    await measure('change of visibility, 16 at once', exact, 16, async () => {
      await api.data('PUT', '/files', { id: small.id, visibility: 'public' })
    }),
  )
  print(await measureHosting('hosting of 1 KiB from the cache, exact', exact, 'small.bin'))
  print(await measureHosting('the same with `HOSTING_STALENESS_MS`', lax, 'small.bin'))
  print(await measureHosting('hosting of 256 KiB from the cache, exact', exact, 'large.bin'))
  print(await measureHosting('hosting of 256 KiB without a cache', uncached, 'large.bin'))
}
