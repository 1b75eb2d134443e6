import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { GiB, type Limit, MiB, percentile, showMs } from '../bench/report.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'

/** Server under load, with an API key for all operations on files. */
export interface LoadedServer extends AsyncDisposable {
  holdfast: HoldfastProcess
  withKey: Record<string, string>
}

export async function startLoaded(environment: Record<string, string> = {}): Promise<LoadedServer> {
  const holdfast = await spawnHoldfast({ environment })
  const { withKey } = await registerWith(holdfast)
  const loaded = { holdfast, withKey, [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose]() }
  await store(loaded, 'small', new Uint8Array(20 * 1024))
  await store(loaded, 'warm', new Uint8Array(16 * MiB))
  // The memory that the first large response needs once must not count for a load.
  await (await holdfast.fetch('/api/hosting/warm')).arrayBuffer()
  return loaded
}

/** Uploads a file. @throws when the server refuses it. */
export async function store(
  { holdfast, withKey }: Pick<LoadedServer, 'holdfast' | 'withKey'>,
  name: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const body = new FormData()
  body.append('files', new Blob([content]), name)
  const response = await holdfast.fetch('/api/files', { method: 'POST', headers: withKey, body })
  if (response.status !== 200) throw new Error(`"${name}" was refused: ${await response.text()}`)
}

/** Runs `work` while another process requests `path` all the time. Returns each wait in milliseconds. */
export async function waitsDuring(
  { url }: HoldfastProcess,
  path: string,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'ask.ts'), `${url}${path}`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(child.stdout)
  await lines.next()
  try {
    await work()
  } finally {
    await child.stdin.end()
  }
  const waited: unknown = JSON.parse((await lines.next()).value ?? '[]')
  return Array.isArray(waited) ? waited.map(Number) : []
}

/** Yields each complete line that a process prints. */
async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = ''
  for await (const chunk of output) {
    text += Buffer.from(chunk).toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

const showMiB = (bytes: number) => `${(bytes / MiB).toFixed(0)} MiB`

/** Limits the 99th percentile of waits and reports the longest. */
export const slowest = (what: string, waited: readonly number[], limit: number): Limit[] => [
  {
    what: `${what}, 99th percentile of ${waited.length}`,
    value: percentile(waited, 0.99),
    limit,
    isTime: true,
    show: showMs,
  },
  { what: `${what}, longest`, value: Math.max(...waited), show: showMs },
]

export const growth = (what: string, value: number, limit: number): Limit => ({
  what,
  value,
  limit,
  show: showMiB,
})

/** Returns a limit for a count that must be zero. */
export const never = (what: string, value: number): Limit => ({ what, value, limit: 0, show: String })

/** Returns true when the disk has room for `bytes` and a reserve. */
export function hasRoom(path: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > bytes + 2 * GiB
}
