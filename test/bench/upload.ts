import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnHoldfast } from '../support/process.ts'
import { type Client, openClient } from './client.ts'
import { residentBytes, watchMemory } from './memory.ts'
import { GiB, KiB, MiB, type Report } from './report.ts'
import { findTool, howToGet, run } from './tools.ts'
import { openWorkspace, writePattern } from './workspace.ts'

const SIZE = GiB
const ROUNDS = 5
/** No round begins later than this, for slow disks. */
const LAST_START_MS = 110_000

/** A 1 GiB upload beside `cp` and `fsync` of the same file on the same disk. */
export async function benchUpload(signal: AbortSignal): Promise<Report> {
  const begin = performance.now()
  using workspace = openWorkspace()
  const source = join(workspace.path, 'source.bin')
  const small = join(workspace.path, 'small.bin')
  writePattern(source, SIZE)
  writePattern(small, 64 * KiB)
  await using holdfast = await spawnHoldfast({ dataPath: join(workspace.path, 'data') })
  const client = await openClient(holdfast, signal)
  await client.upload(small)

  const peer = createPeer({ source, folder: workspace.path, signal })
  const { pid } = holdfast.child
  const result = { ours: [] as number[], peer: [] as number[] }
  const memory = await watchMemory({ pid, what: '1 GiB', before: residentBytes(pid, 'VmRSS') }, async () => {
    for (let round = 0; round < ROUNDS && performance.now() - begin < LAST_START_MS; round += 1) {
      if (peer) result.peer.push(SIZE / (await peer()))
      result.ours.push(SIZE / (await uploadSeconds(client, source)))
      await settle(workspace.path, signal)
    }
  })
  return {
    title: `Upload of 1 GiB, ${result.ours.length} rounds`,
    peer: 'cp + fsync',
    comparisons: [{ what: '1 GiB', ...result, target: 0.85, show }],
    memory: [memory],
    notes: peer ? [] : [howToGet('cp')],
  }
}

const show = (rate: number) => `${(rate / MiB).toFixed(0)} MiB/s (${(SIZE / rate).toFixed(2)} s)`

/** Seconds from the start of the client's process to its end. The file is dropped. */
async function uploadSeconds(client: Client, source: string): Promise<number> {
  const begin = performance.now()
  const { id } = await client.upload(source)
  const seconds = (performance.now() - begin) / 1000
  await client.remove(id)
  return seconds
}

interface CopyOptions {
  source: string
  folder: string
  signal: AbortSignal
}

/** Copies bytes, never only extents, and answers with the seconds it took. The copy is dropped. */
function createPeer({ source, folder, signal }: CopyOptions): (() => Promise<number>) | undefined {
  if (!findTool('cp') || !findTool('sync')) return undefined
  const copy = join(folder, 'copy.bin')
  return async () => {
    const begin = performance.now()
    await run(['sh', '-c', 'cp --reflink=never "$1" "$2" && sync "$2"', 'sh', source, copy], signal)
    const seconds = (performance.now() - begin) / 1000
    rmSync(copy)
    await settle(folder, signal)
    return seconds
  }
}

/** Has the disk finish what deletes left to do, so that it is not in the next measurement. */
async function settle(folder: string, signal: AbortSignal): Promise<void> {
  if (findTool('sync')) await run(['sync', '-f', folder], signal)
}
