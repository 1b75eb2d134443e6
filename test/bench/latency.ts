import { ADMIN } from '../support/holdfast.ts'
import { callApi, folderId } from './api.ts'
import type { Bench, Part } from './bench.ts'
import { KiB, percentile, type Row, showMs } from './report.ts'

const FOLDER = 'ten-thousand'
const FILES = 10_000
const SIGN_INS = 200
/** Clients that request each file of the folder. */
const CLIENTS = 8
/** Duration of the measurement without other work, in milliseconds. */
const ALONE_MS = 2000
const LIMIT_MS = 20

/** Latency of a hosted file while the server does long work, 99th percentile. */
export const latency: Part = {
  groves: [
    { folder: '16k', files: 1000, size: 16 * KiB },
    { folder: FOLDER, files: FILES, size: 4 * KiB },
  ],
  measure: async (bench) => {
    const rows: Row[] = []
    for (const [meanwhile, work, prepare] of WORKS) {
      await prepare?.(bench)
      const value = await percentileDuring(`${bench.holdfast.url}/api/hosting/16k/0.bin`, () => work(bench))
      rows.push({ what: `p99 of 16 KiB, ${meanwhile}`, value, limit: LIMIT_MS, show: showMs })
    }
    return rows
  },
}

type Work = (bench: Bench) => Promise<unknown>

const WORKS: [meanwhile: string, work: Work, prepare?: Work][] = [
  ['alone', () => Bun.sleep(ALONE_MS)],
  [`during ${SIGN_INS} sign-ins at once`, signIns],
  ['the counts of 10,000 files are saved', read('/stats'), askForEach],
  ['10,000 files are zipped', read(`/folders/download?key=${FOLDER}`)],
  ['10,000 files are made private', hide],
  ['10,000 files are listed', read(`/folders?key=${FOLDER}`)],
  ['10,000 files are deleted', remove],
]

/** Returns work that reads a response without parsing it: parsing would delay this client, not the server. */
function read(path: string): Work {
  return async ({ holdfast, withKey, signal }) => {
    await (await fetch(`${holdfast.url}/api${path}`, { headers: withKey, signal })).arrayBuffer()
  }
}

/** Requests a URL without a pause until `work` is done. Returns the 99th percentile in milliseconds. */
async function percentileDuring(url: string, work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  let isDone = false
  const ask = async () => {
    while (!isDone) {
      const begin = performance.now()
      await (await fetch(url)).arrayBuffer()
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
  return percentile(samples, 0.99)
}

/** Floods the server with sign-ins. It refuses some, because it limits concurrent password checks. */
async function signIns({ holdfast, signal }: Bench): Promise<void> {
  const body = JSON.stringify({ email: ADMIN.email, password: ADMIN.password })
  const url = `${holdfast.url}/api/auth/sign-in/email`
  const signIn = async () => (await fetch(url, { method: 'POST', body, signal })).arrayBuffer()
  await Promise.all(Array.from({ length: SIGN_INS }, signIn))
}

async function askForEach({ holdfast, signal }: Bench): Promise<void> {
  const urls = Array.from(
    { length: FILES },
    (_, n) => `${holdfast.url}/api/hosting/${FOLDER}/${n}.bin`,
  ).values()
  const ask = async () => {
    for (const url of urls) await (await fetch(url, { signal })).arrayBuffer()
  }
  await Promise.all(Array.from({ length: CLIENTS }, ask))
}

async function hide(bench: Bench): Promise<void> {
  await callApi(bench, 'PUT', '/folders', { id: await folderId(bench, FOLDER), visibility: 'private' })
}

async function remove(bench: Bench): Promise<void> {
  await callApi(bench, 'DELETE', '/folders', { id: await folderId(bench, FOLDER) })
}
