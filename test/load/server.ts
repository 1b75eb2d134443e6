import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { GiB, type Limit, MiB } from '../bench/report.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'

/** A server of its own under load, with someone who may do everything with files. */
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
  // What the first large answer needs once is no load's cost.
  await (await holdfast.fetch('/api/hosting/warm')).arrayBuffer()
  return loaded
}

/** Uploads one file. @throws when it is refused. */
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

/** The value below which `part` of them lie; `NaN` of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Does `work` while `path` is asked for all the time, and answers with the milliseconds of each wait. */
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

/** Each line that a process prints, once it is whole. */
async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = ''
  for await (const chunk of output) {
    text += Buffer.from(chunk).toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

export const showMs = (ms: number) => `${ms.toFixed(1)} ms`
export const showMiB = (bytes: number) => `${(bytes / MiB).toFixed(0)} MiB`
export const showCount = (count: number) => String(count)

/** Waits of which at most one in a hundred may be longer than `limit`, and the longest of them. */
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

/** Something that must not happen at all. */
export const never = (what: string, value: number): Limit => ({ what, value, limit: 0, show: showCount })

/** Whether the disk has room for `bytes` and a reserve. */
export function hasRoom(path: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > bytes + 2 * GiB
}
