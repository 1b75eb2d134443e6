import { mkdirSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { type Comparison, KiB, MiB, type Report } from './report.ts'
import { findTool, howToGet, run } from './tools.ts'
import { openWorkspace, writePattern } from './workspace.ts'

const TITLE = 'Many uploads beside copies that are made durable'

interface Bench {
  holdfast: HoldfastProcess
  key: string
  curl: string
  /** A folder on the disk of the server's data. */
  folder: string
  signal: AbortSignal
}

/** Many files in one request, many large ones at once, and single small ones, beside the disk itself. */
export async function benchManyUploads(signal: AbortSignal): Promise<Report> {
  const report = { title: TITLE, peer: 'the disk', comparisons: [], memory: [], notes: [] }
  const curl = findTool('curl')
  if (!curl) return { ...report, notes: [howToGet('curl')] }
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const environment = { RATE_LIMIT_API: '0', MAX_FILES_PER_REQUEST: '1000' }
  await using holdfast = await spawnHoldfast({ dataPath, environment })
  const { withKey } = await registerWith(holdfast)
  const bench = { holdfast, key: withKey['API-Key'], curl, folder: workspace.path, signal }
  const comparisons = [await oneRequest(bench), await atOnce(bench), await single(bench)]
  return { ...report, comparisons }
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

/** Measures both sides in turns: how often a second each could do its work. */
async function inTurns(
  rounds: number,
  ours: (round: number) => Promise<unknown>,
  peer: (round: number) => Promise<unknown>,
): Promise<Pick<Comparison, 'ours' | 'peer'>> {
  const found = { ours: [] as number[], peer: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    found.peer.push(1 / (await seconds(() => peer(round))))
    found.ours.push(1 / (await seconds(() => ours(round))))
  }
  return found
}

const showSeconds = (rate: number) => `${(1 / rate).toFixed(2)} s`

const upload = ({ curl, key, holdfast, signal }: Bench, folder: string, files: readonly string[]) =>
  run(
    [
      ...[curl, '-sS', '--fail-with-body', '-o', '/dev/null', '-H', `API-Key: ${key}`, '-H', 'Expect:'],
      ...['-F', `folder=${folder}`, ...files.flatMap((file) => ['-F', `files=@${file}`])],
      `${holdfast.url}/api/files`,
    ],
    signal,
  )

const copyDurably = (signal: AbortSignal, from: string, to: string) =>
  run(
    ['sh', '-c', 'cp -r --reflink=never "$1" "$2" && find "$2" -print0 | xargs -0 sync', 'sh', from, to],
    signal,
  )

async function oneRequest(bench: Bench): Promise<Comparison> {
  const source = join(bench.folder, 'small')
  mkdirSync(source)
  const files = Array.from({ length: 1000 }, (_, n) => join(source, `${n}.bin`))
  for (const file of files) writePattern(file, 4 * KiB)
  const found = await inTurns(
    5,
    (round) => upload(bench, `small-${round}`, files),
    (round) => copyDurably(bench.signal, source, join(bench.folder, `copy-${round}`)),
  )
  return { what: '1,000 files of 4 KiB in one request', ...found, target: 0.5, show: showSeconds }
}

async function atOnce(bench: Bench): Promise<Comparison> {
  const source = join(bench.folder, 'source.bin')
  writePattern(source, 100 * MiB)
  const uploads = Array.from({ length: 50 }, (_, n) => n)
  const found = await inTurns(
    2,
    async (round) => {
      await Promise.all(uploads.map((n) => upload(bench, `large-${round}/${n}`, [source])))
    },
    async (round) => {
      const folder = join(bench.folder, `large-${round}`)
      mkdirSync(folder)
      await Promise.all(uploads.map((n) => copyDurably(bench.signal, source, join(folder, `${n}`))))
      rmSync(folder, { recursive: true })
    },
  )
  return { what: '50 uploads of 100 MiB at once', ...found, target: 0.9, show: showSeconds }
}

const LANES = 16
const ROUND_MS = 3000

/** Runs `work` in sixteen lanes for a while: how often a second it was done. */
async function often(work: (name: string) => Promise<void>): Promise<number> {
  const begin = performance.now()
  let done = 0
  const lane = async (_: unknown, index: number) => {
    for (let n = 0; performance.now() - begin < ROUND_MS; n += 1) {
      await work(`${begin}-${index}-${n}`)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return (done * 1000) / (performance.now() - begin)
}

async function single({ holdfast, key, folder }: Bench): Promise<Comparison> {
  const bytes = new Uint8Array(4 * KiB)
  const target = join(folder, 'single')
  mkdirSync(target)
  const parent = await open(target)
  const log = await open(join(folder, 'log'), 'w')
  const found = { ours: [] as number[], peer: [] as number[] }
  for (let round = 0; round < 3; round += 1) {
    found.peer.push(
      await often(async (name) => {
        const file = await open(join(folder, name), 'wx')
        await file.write(bytes)
        await file.sync()
        await file.close()
        await rename(join(folder, name), join(target, name))
        await parent.sync()
        await log.write(bytes)
        await log.sync()
      }),
    )
    found.ours.push(
      await often(async (name) => {
        const body = new FormData()
        body.append('files', new Blob([bytes]), name)
        const answer = await holdfast.fetch('/api/files', {
          method: 'POST',
          headers: { 'API-Key': key },
          body,
        })
        if (!answer.ok) throw new Error(await answer.text())
      }),
    )
  }
  await parent.close()
  await log.close()
  const show = (rate: number) => `${Math.round(rate)} a second`
  return { what: '4 KiB, 16 at once, beside three fsyncs each', ...found, target: 0.5, show }
}
