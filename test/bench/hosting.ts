import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { callApi } from './api.ts'
import { type Bench, inTurns, type Part } from './bench.ts'
import { HOW_TO_GET_BROTLI, hasBrotli, type Peer, startBare, startCaddy, startNginx } from './peer.ts'
import { type Comparison, GiB, KiB, MiB, type Row, showRate, showThroughput } from './report.ts'
import { findTool, howToGet } from './tools.ts'
import { runWrk } from './wrk.ts'

const ROUNDS = 3
const SECONDS = 2
/** Pause between two loads in which both ends close the connections, in milliseconds. */
const PAUSE_MS = 100
const MANY = 1000
/** Names in the table. */
const NAMES = { nginx: 'nginx', caddy: 'caddy', bare: 'bare sockets', holdfast: 'public' }
/** Target ratio to Caddy for bodies of up to 100 KiB. */
const CADDY = 1.5

const PEERS = { nginx: startNginx, caddy: startCaddy }

interface Case {
  what: string
  /** Path of the file, the same on all servers. */
  path: string
  /** Path on our server, if it differs. */
  ours?: string
  /** Host of the requests to our server, if it is another. */
  ourHost?: string
  /** Peers with their target ratios. */
  against: { server: keyof typeof PEERS | 'bare' | 'holdfast'; target?: number }[]
  /** Unit of comparison. Few large bodies end within a run, so those count by bytes. */
  by?: 'bytes'
  status?: number
  /** Content coding of the responses. */
  encoding?: string
  script?: string[]
  /** Returns the request headers, from the file's entity tag on the measured server. */
  headers?: (etag: string) => Record<string, string>
}

/** Returns nginx and Caddy as peers, with their target ratios. */
const beside = (nginx?: number, caddy?: number): Case['against'] => [
  { server: 'nginx', ...(nginx === undefined ? {} : { target: nginx }) },
  { server: 'caddy', ...(caddy === undefined ? {} : { target: caddy }) },
]

/** Returns these peers and the minimal server, whose rate no server on this runtime can exceed. */
const besideBare = (nginx: number, caddy?: number): Case['against'] => [
  ...beside(nginx, caddy),
  { server: 'bare' },
]

const inTheMiddle = `bytes=${GiB / 2}-${GiB / 2 + 64 * KiB - 1}`

const CASES: Case[] = [
  { what: '1 KiB', path: '1k/0.bin', against: beside(1, CADDY) },
  { what: '16 KiB', path: '16k/0.bin', against: beside(1, CADDY) },
  { what: '64 KiB', path: '64k/0.bin', against: besideBare(1, CADDY) },
  { what: '100 KiB', path: '100k/0.bin', against: beside(undefined, CADDY) },
  {
    what: '1,000 files of 16 KiB in turn',
    path: '16k/0.bin',
    against: beside(0.8, CADDY),
    script: ['files', String(MANY)],
  },
  { what: '1 MiB', path: '1m/0.bin', against: besideBare(0.95), by: 'bytes' },
  { what: '100 MiB', path: '100m/0.bin', against: beside(0.95), by: 'bytes' },
  {
    what: '1 KiB, 304 by ETag',
    path: '1k/0.bin',
    against: besideBare(1, CADDY),
    status: 304,
    headers: (etag) => ({ 'If-None-Match': etag }),
  },
  {
    what: '64 KiB of 1 GiB',
    path: '1g/0.bin',
    against: besideBare(0.8, CADDY),
    status: 206,
    headers: () => ({ Range: inTheMiddle }),
  },
]

/** Public files, and a private one by its signed link, served by our server and its peers from the same folder. */
export const hosting: Part = {
  groves: [
    { folder: '1k', files: 1, size: KiB },
    { folder: '16k', files: MANY, size: 16 * KiB },
    { folder: '64k', files: 1, size: 64 * KiB },
    { folder: '100k', files: 1, size: 100 * KiB },
    { folder: '1m', files: 1, size: MiB },
    { folder: '100m', files: 1, size: 100 * MiB },
    { folder: '1g', files: 1, size: GiB },
  ],
  measure: async (bench) => {
    const wrk = findTool('wrk')
    if (!wrk) {
      bench.note(howToGet('wrk'))
      return []
    }
    await using nginx = await startBeside(bench, 'nginx')
    await using caddy = await startBeside(bench, 'caddy')
    await using bare = await startBare({ root: rootOf(bench), home: join(bench.folder, 'bare') })
    const holdfast = `${bench.holdfast.url}/api/hosting`
    const site: Site = {
      bench,
      wrk,
      urls: { holdfast, nginx: nginx?.url, caddy: caddy?.url, bare: bare.url },
    }
    await load(site, { url: `${site.urls.holdfast}/1k/0.bin`, what: 'warm-up' }, {})
    const rows: Row[] = []
    for (const entry of [...CASES, await privateCase(bench), ...(await siteCases(bench))])
      rows.push(...(await measure(site, entry)))
    return rows
  },
}

interface Site {
  bench: Bench
  wrk: string
  /** Base URL of the files on each running server. */
  urls: Record<Case['against'][number]['server'], string | undefined>
}

const rootOf = (bench: Bench) => join(bench.holdfast.dataPath, 'uploads')

function startBeside(bench: Bench, tool: keyof typeof PEERS): Promise<Peer> | undefined {
  const binary = findTool(tool)
  if (binary) {
    return PEERS[tool]({ binary, root: rootOf(bench), home: join(bench.folder, tool) })
  }
  bench.note(howToGet(tool))
  return undefined
}

/** Compares a private file by its signed link with a public one of the same size. */
async function privateCase(bench: Bench): Promise<Case> {
  const body = new FormData()
  body.append('visibility', 'private')
  body.append('files', new Blob([new Uint8Array(16 * KiB)]), 'private.bin')
  const { files } = await callApi<{ files: { id: string }[] }>(bench, 'POST', '/files', body)
  const { url } = await callApi<{ url: string }>(bench, 'POST', '/files/sign', { id: files[0]?.id })
  const against: Case['against'] = [
    { server: 'holdfast', target: 0.8 },
    { server: 'caddy', target: CADDY },
  ]
  return { what: '16 KiB, private by signed link', path: '16k/0.bin', ours: url, against }
}

/** Compares a page of a site with a public file of the same size, and Brotli at rest with that of nginx. */
async function siteCases(bench: Bench): Promise<Case[]> {
  await callApi(bench, 'POST', '/sites', { folder: '16k', name: 'bench' })
  const page: Case = {
    what: '16 KiB, page of a site',
    path: '16k/0.bin',
    ours: '0.bin',
    against: [{ server: 'holdfast', target: 0.95 }],
    ourHost: 'bench.sites.bench',
  }
  if (!hasBrotli()) {
    bench.note(HOW_TO_GET_BROTLI)
    return [page]
  }
  const body = new FormData()
  body.append('folder', 'brotli')
  body.append('visibility', 'public')
  const content = randomBytes(16 * KiB)
  body.append('files', new Blob([content]), 'page.html')
  body.append('files', new Blob([brotliCompressSync(content)]), 'page.html.br')
  await callApi(bench, 'POST', '/files', body)
  await callApi(bench, 'POST', '/sites', { folder: 'brotli', name: 'brotli' })
  const encoded: Case = {
    what: '16 KiB of Brotli at rest, page of a site',
    path: 'brotli/page.html',
    ours: 'page.html',
    against: [{ server: 'nginx', target: 1 }],
    ourHost: 'brotli.sites.bench',
    headers: () => ({ 'Accept-Encoding': 'br' }),
    encoding: 'br',
  }
  return [page, encoded]
}

async function measure(site: Site, entry: Case): Promise<Comparison[]> {
  const { holdfast } = site.bench
  const ours = entry.ours ? `${holdfast.url}/${entry.ours}` : `${site.urls.holdfast}/${entry.path}`
  const others = entry.against.flatMap(({ server }) => site.urls[server] ?? [])
  const urls = [ours, ...others.map((url) => `${url}/${entry.path}`)]
  const loads = urls.map((url) => prepareLoad(site, url, url === ours ? entry : { ...entry, ourHost: '' }))
  const values = await inTurns(ROUNDS, await Promise.all(loads))
  const valuesOf = new Map(urls.map((url, index) => [url, values[index] ?? []]))
  return entry.against.map(({ server, ...wanted }) => ({
    what: entry.what,
    against: NAMES[server],
    ours: valuesOf.get(ours) ?? [],
    peer: valuesOf.get(`${site.urls[server]}/${entry.path}`) ?? [],
    ...wanted,
    show: entry.by === 'bytes' ? showThroughput : showRate,
  }))
}

/** Checks a server's response, then returns a function that measures it once. */
async function prepareLoad(site: Site, url: string, entry: Case): Promise<() => Promise<number>> {
  const { headers: head } = await fetch(url, { method: 'HEAD' })
  const host = entry.ourHost ? { Host: entry.ourHost } : {}
  const headers = { ...entry.headers?.(head.get('etag') ?? ''), ...host }
  const expected = entry.status ?? 200
  const response = await fetch(url, { headers })
  await response.body?.cancel()
  const encoding = response.headers.get('content-encoding') ?? undefined
  if (encoding !== entry.encoding) throw new Error(`${url} has the coding ${encoding}, not ${entry.encoding}`)
  if (response.status !== expected) throw new Error(`${url} answers ${response.status}, not ${expected}`)
  return () => load(site, { ...entry, url }, headers)
}

async function load(
  { bench, wrk }: Site,
  { url, what, script = [], by }: Pick<Case, 'what' | 'script' | 'by'> & { url: string },
  headers: Record<string, string>,
): Promise<number> {
  const found = await runWrk(wrk, { url, headers, seconds: SECONDS, script }, bench.signal)
  await Bun.sleep(PAUSE_MS)
  const { refusals, socketErrors } = found
  if (refusals + socketErrors > 0)
    bench.note(`${what} at ${url}: ${refusals} refusals, ${socketErrors} socket errors`)
  return by === 'bytes' ? found.bytesPerSecond : found.requestsPerSecond
}
