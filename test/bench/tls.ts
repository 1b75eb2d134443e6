import { join } from 'node:path'
import { certificateFiles } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { spawnHoldfast } from '../support/process.ts'
import { type Bench, inTurns, type Part, prepareData, settle } from './bench.ts'
import { startNginx } from './peer.ts'
import { plantGrove } from './plant.ts'
import { type Comparison, KiB, MiB, showRate, showThroughput } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { runWrk } from './wrk.ts'

const ROUNDS = 3
const SECONDS = 3
const GROVES = [
  { folder: '1k', files: 1, size: KiB },
  { folder: '16k', files: 1, size: 16 * KiB },
  { folder: '1m', files: 1, size: MiB },
]

interface Case {
  what: string
  path: string
  by?: 'bytes'
  headers?: Record<string, string>
}

const CASES: Case[] = [
  { what: '1 KiB over TLS', path: '1k/0.bin' },
  { what: '16 KiB over TLS', path: '16k/0.bin' },
  { what: '1 MiB over TLS', path: '1m/0.bin', by: 'bytes' },
  { what: '1 KiB, a handshake for each', path: '1k/0.bin', headers: { Connection: 'close' } },
]

/** Public files over TLS, without a proxy, beside nginx with the same certificate. */
export const tls: Part = {
  measure: async (bench) => {
    const [wrk, nginx] = [findTool('wrk'), findTool('nginx')]
    if (!wrk || !nginx) {
      for (const missing of ['wrk', 'nginx'] as const) if (!findTool(missing)) bench.note(howToGet(missing))
      return []
    }
    const dataPath = join(bench.folder, 'tls')
    await prepareData(bench, dataPath)
    for (const grove of GROVES) plantGrove(dataPath, grove, Date.now())
    await settle(bench.folder, bench.signal)
    using files = certificateFiles('localhost')
    await using ours = await spawnHoldfast({
      dataPath,
      environment: { ...files.environment, RATE_LIMIT_HOSTING: '1000000000' },
    })
    await eventually(() => ours.output().includes('HTTPS is on port'))
    const port = /HTTPS is on port (\d+)/.exec(ours.output())?.[1]
    const home = join(bench.folder, 'nginx-tls')
    const { TLS_CERT: cert = '', TLS_KEY: key = '' } = files.environment
    await using peer = await startNginx({
      binary: nginx,
      root: join(dataPath, 'uploads'),
      home,
      certificate: { cert, key },
    })
    const rows: Comparison[] = []
    for (const entry of CASES)
      rows.push(await compare(bench, wrk, [`https://127.0.0.1:${port}/api/hosting`, peer.url], entry))
    return rows
  },
}

async function compare(
  bench: Bench,
  wrk: string,
  servers: readonly [ours: string, peer: string],
  { what, path, by, headers = {} }: Case,
): Promise<Comparison> {
  const loads = servers.map((server) => async () => {
    const found = await runWrk(wrk, { url: `${server}/${path}`, headers, seconds: SECONDS }, bench.signal)
    if (found.refusals + found.socketErrors > 0)
      bench.note(`${what} at ${server}: ${found.refusals} refusals, ${found.socketErrors} socket errors`)
    return by === 'bytes' ? found.bytesPerSecond : found.requestsPerSecond
  })
  const [ours = [], peer = []] = await inTurns(ROUNDS, loads)
  return { what, against: 'nginx', ours, peer, show: by === 'bytes' ? showThroughput : showRate }
}
