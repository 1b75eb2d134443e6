import { join } from 'node:path'
import { ADMIN } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { plantGrove } from './plant.ts'
import { KiB, type Limit, type Report } from './report.ts'
import { openWorkspace } from './workspace.ts'

const TITLE = 'A hosted file of 16 KiB, asked for without a pause, while something else goes on'
const FILES = 10_000
const SIGN_INS = 200
/** The others are asked for so long at least, in milliseconds. */
const AT_LEAST_MS = 2000
const LIMIT_MS = 20

/** The 99th percentile of what a hosted file takes while the server does long work. */
export async function benchLatency(signal: AbortSignal): Promise<Report> {
  using workspace = openWorkspace()
  const dataPath = join(workspace.path, 'data')
  const headers = await prepare(dataPath)
  await using holdfast = await spawnHoldfast({ dataPath })
  const bench: Bench = { holdfast, headers, signal }
  const limits: Limit[] = []
  for (const [what, work] of WORKS) {
    console.error(`latency: ${what}`)
    limits.push(await measure(bench, what, () => work(bench)))
  }
  return { title: TITLE, peer: '', comparisons: [], limits, memory: [], notes: [] }
}

interface Bench {
  holdfast: HoldfastProcess
  headers: { 'API-Key': string }
  signal: AbortSignal
}

const WORKS: [what: string, work: (bench: Bench) => Promise<unknown>][] = [
  ['nothing', () => Bun.sleep(AT_LEAST_MS)],
  [`${SIGN_INS} sign-ins at once`, signIns],
  [`a folder of ${FILES} files is zipped`, zip],
  [`a folder of ${FILES} files is made private`, hide],
  [`a folder of ${FILES} files is listed`, list],
  [`a folder of ${FILES} files is deleted`, remove],
]

async function prepare(dataPath: string): Promise<Bench['headers']> {
  let headers: Bench['headers']
  {
    await using holdfast = await spawnHoldfast({ dataPath })
    headers = (await registerWith(holdfast)).withKey
  }
  plantGrove(dataPath, { folder: 'hot', files: 1, size: 16 * KiB }, Date.now())
  plantGrove(dataPath, { folder: 'many', files: FILES, size: 4 * KiB }, Date.now())
  return headers
}

/** Asks for the file until `work` is done, and answers with the 99th percentile in milliseconds. */
async function measure({ holdfast }: Bench, what: string, work: () => Promise<unknown>): Promise<Limit> {
  const samples: number[] = []
  let isDone = false
  const ask = async () => {
    while (!isDone) {
      const begin = performance.now()
      await (await holdfast.fetch('/api/hosting/hot/file-0.txt')).arrayBuffer()
      samples.push(performance.now() - begin)
    }
  }
  const asking = ask()
  try {
    await work()
  } finally {
    isDone = true
    await asking
  }
  samples.sort((a, b) => a - b)
  const value = samples[Math.floor(samples.length * 0.99)] ?? Number.NaN
  return { what, value, limit: LIMIT_MS, show: (value) => `${value.toFixed(1)} ms` }
}

const send = ({ holdfast, headers, signal }: Bench, method: string, path: string, body?: object) =>
  holdfast.fetch(path, { method, headers, signal, ...(body ? { body: JSON.stringify(body) } : {}) })

/** Some are refused: only so many passwords are checked at once. */
async function signIns({ holdfast, signal }: Bench): Promise<void> {
  const body = JSON.stringify({ email: ADMIN.email, password: ADMIN.password })
  const signIn = () => holdfast.fetch('/api/auth/sign-in/email', { method: 'POST', body, signal })
  const answers = await Promise.all(Array.from({ length: SIGN_INS }, signIn))
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
}

async function zip(bench: Bench): Promise<void> {
  await (await send(bench, 'GET', '/api/folders/download?key=many')).arrayBuffer()
}

async function hide(bench: Bench): Promise<void> {
  await send(bench, 'PUT', '/api/folders', { id: await folderId(bench), visibility: 'private' })
}

async function list(bench: Bench): Promise<void> {
  await (await send(bench, 'GET', '/api/folders?key=many')).arrayBuffer()
}

async function remove(bench: Bench): Promise<void> {
  const answer = await send(bench, 'DELETE', '/api/folders', { id: await folderId(bench) })
  if (answer.status !== 200) throw new Error(`The folder was not deleted: ${await answer.text()}`)
}

async function folderId(bench: Bench): Promise<string> {
  const answer = await send(bench, 'GET', '/api/folders?limit=0')
  const { data } = (await answer.json()) as { data: { folders: { id: string; name: string }[] } }
  return data.folders.find(({ name }) => name === 'many')?.id ?? ''
}
