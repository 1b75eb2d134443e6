import { mkdirSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Durability } from '../../src/volume/disk.ts'
import { HashThread } from '../../src/volume/hash-thread.ts'
import { DistinctTimes, Staging } from '../../src/volume/staging.ts'
import { callApi, folderId } from './api.ts'
import { type Bench, inTurns, type Part, settle } from './bench.ts'
import { GiB, growthOfMemory, KiB, MiB, type Row, showRate } from './report.ts'
import { sendRequest, type Upload, uploadRequest } from './send.ts'
import { findTool, howToGet, run } from './tools.ts'
import { pattern } from './workspace.ts'
import { runWrk } from './wrk.ts'

interface Case {
  what: string
  against: string
  /** File with the bytes of one upload, in the folder of the server's files, to be copied once for each upload. */
  source: string
  uploads: Upload[]
  rounds: number
  target: number
}

const TARGET = 'uploaded'
const SMALL = { folder: '4k', files: 1000, size: 4 * KiB }
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}.bin`)

const CASES: Case[] = [
  {
    what: 'upload of 1 GiB',
    against: 'cp + fsync',
    source: '1g/0.bin',
    uploads: [{ folder: TARGET, names: ['0.bin'], size: GiB }],
    rounds: 5,
    target: 0.9,
  },
  {
    what: '50 uploads of 100 MiB at once',
    against: 'cp + fsync',
    source: '100m/0.bin',
    uploads: numbers(50).map((name) => ({ folder: TARGET, names: [name], size: 100 * MiB })),
    rounds: 3,
    target: 0.9,
  },
  {
    what: '1,000 files of 4 KiB in one request',
    against: 'cp -r + fsync',
    source: SMALL.folder,
    uploads: [{ folder: TARGET, names: numbers(SMALL.files), size: SMALL.size }],
    rounds: 5,
    target: 0.5,
  },
]

/** Uploads compared with the disk itself: durable copies and single fsyncs. */
export const upload: Part = {
  groves: [{ folder: '1g', files: 1, size: GiB }, { folder: '100m', files: 1, size: 100 * MiB }, SMALL],
  measure: async (bench) => {
    const rows: Row[] = []
    for (const entry of CASES) rows.push(...(await measure(bench, entry)))
    return [...rows, ...(await single(bench))]
  },
}

async function measure(bench: Bench, { uploads, source, rounds, ...entry }: Case): Promise<Row[]> {
  const growths: number[] = []
  const [own = [], copied = [], staged = []] = await inTurns(rounds, [
    sending(bench, uploads, growths),
    copying(bench, source, uploads.length),
    staging(bench, uploads),
  ])
  const show = (rate: number) => `${(1 / rate).toFixed(2)} s`
  return [
    { ...entry, ours: own, peer: copied, show },
    { what: entry.what, against: 'without a network', ours: own, peer: staged, show },
    ...(uploads.length === 1
      ? [growthOfMemory(`${entry.what}, growth of memory`, Math.max(...growths))]
      : []),
  ]
}

/** @param growths Receives the growth of the server's memory in each round. */
function sending(bench: Bench, uploads: readonly Upload[], growths: number[]) {
  const requests = uploads.map((upload) => uploadRequest(bench.withKey, upload))
  const { port } = bench.holdfast
  return async () => {
    let rate = 0
    const load = async () => {
      rate = await ratePerSecond(requests.map((pieces) => () => sendRequest(port, pieces)))
    }
    growths.push(await bench.growthDuring(load))
    await callApi(bench, 'DELETE', '/folders', { id: await folderId(bench, TARGET) })
    await settle(bench.folder, bench.signal)
    return rate
  }
}

function copying({ holdfast, folder, signal }: Bench, source: string, count: number) {
  const from = join(holdfast.dataPath, 'uploads', source)
  const copies = join(folder, 'copies')
  const copy = (_: unknown, n: number) => () => copyDurably(from, join(copies, String(n)), signal)
  return async () => {
    mkdirSync(copies)
    const rate = await ratePerSecond(Array.from({ length: count }, copy))
    rmSync(copies, { recursive: true })
    await settle(folder, signal)
    return rate
  }
}

/** Returns the disk's part of uploads, without transfer and catalog: write, hash and sync. */
function staging({ folder, signal }: Bench, uploads: readonly Upload[]) {
  const path = join(folder, 'staged')
  const stage = async () => {
    const hashes = new HashThread()
    const staging = await Staging.create(path, {
      hashes,
      times: new DistinctTimes(),
      durability: new Durability(),
    })
    const receive = async ({ names, size }: Upload) => {
      for (const _ of names) await staging.receive(chunks(size), { maxBytes: size, claim: () => {} })
    }
    await Promise.all(uploads.map(receive))
    await staging.sync()
    hashes.close()
  }
  return async () => {
    const rate = await ratePerSecond([stage])
    rmSync(path, { recursive: true })
    await settle(folder, signal)
    return rate
  }
}

async function* chunks(size: number): AsyncGenerator<Uint8Array> {
  yield* pattern(size)
}

/** Returns how often a second all of `works` complete when they run concurrently. */
async function ratePerSecond(works: readonly (() => Promise<unknown>)[]): Promise<number> {
  const begin = performance.now()
  await Promise.all(works.map((work) => work()))
  return 1000 / (performance.now() - begin)
}

/** Copies and syncs bytes, without reflinks. */
const copyDurably = (from: string, to: string, signal: AbortSignal) =>
  run(
    ['sh', '-c', 'cp -r --reflink=never "$1" "$2" && find "$2" -print0 | xargs -0 sync', 'sh', from, to],
    signal,
  )

const LANES = 16
const SECONDS = 3

/** Measures single small uploads, and the rate at which the disk makes as many syncs as one needs. */
async function single({ holdfast, withKey, folder, signal, note }: Bench): Promise<Row[]> {
  const wrk = findTool('wrk')
  if (!wrk) {
    note(howToGet('wrk'))
    return []
  }
  const ours = async () => {
    const script = ['uploads', String(4 * KiB), `${Date.now()}-`]
    const load = { url: `${holdfast.url}/api/files`, headers: withKey, connections: LANES, script }
    const found = await runWrk(wrk, { ...load, seconds: SECONDS }, signal)
    if (found.refusals > 0) throw new Error(`${found.refusals} uploads were refused`)
    return found.requestsPerSecond
  }
  const [own = [], peer = []] = await inTurns(3, [ours, () => fsyncRate(folder)])
  const what = `uploads of 4 KiB, ${LANES} at once`
  return [{ what, against: 'three fsyncs', ours: own, peer, target: 0.5, show: showRate }]
}

/** Measures how often a second the disk syncs a file, its destination folder and a log, in as many lanes. */
async function fsyncRate(folder: string): Promise<number> {
  const bytes = new Uint8Array(4 * KiB)
  const target = join(folder, 'synced')
  mkdirSync(target)
  await using parent = await open(target)
  await using log = await open(join(folder, 'log'), 'w')
  const begin = performance.now()
  let done = 0
  const lane = async (_: unknown, index: number) => {
    for (let n = 0; performance.now() - begin < SECONDS * 1000; n += 1) {
      const name = `${index}-${n}`
      await using file = await open(join(folder, name), 'wx')
      await file.write(bytes)
      await file.sync()
      await rename(join(folder, name), join(target, name))
      await parent.sync()
      await log.write(bytes)
      await log.sync()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const rate = (done * 1000) / (performance.now() - begin)
  rmSync(target, { recursive: true })
  return rate
}
