import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { growthDuring, residentBytes } from '../bench/memory.ts'
import { GiB, type Limit, MiB, percentile, showMs } from '../bench/report.ts'
import { run } from '../bench/tools.ts'
import { openWorkspace } from '../bench/workspace.ts'
import { growth, hasRoom, type LoadedServer, startLoaded, waitsDuring } from './server.ts'

const LARGE = 10 * GiB
const UPLOADS = 50

export interface Outcome {
  limits: Limit[]
  notes: string[]
}

/** Creates a sparse file. */
function sparseFile(folder: string, size: number): string {
  const path = join(folder, `sparse-${size}`)
  Bun.spawnSync(['touch', path])
  truncateSync(path, size)
  return path
}

const upload = ({ holdfast, withKey }: LoadedServer, path: string, name: string) =>
  run([
    'curl',
    '-sS',
    '--fail-with-body',
    '-o',
    '/dev/null',
    '-H',
    `API-Key: ${withKey['API-Key']}`,
    '-H',
    'Expect:',
    '-F',
    `files=@${path};filename=${name}`,
    `${holdfast.url}/api/files`,
  ])

const download = ({ holdfast, withKey }: LoadedServer, path: string) =>
  run([
    'curl',
    '-sS',
    '--fail',
    '-o',
    '/dev/null',
    '-H',
    `API-Key: ${withKey['API-Key']}`,
    `${holdfast.url}${path}`,
  ])

/** Sends fifty uploads of 100 MiB at once. */
export async function loadManyUploads(): Promise<Outcome> {
  using workspace = openWorkspace()
  if (!hasRoom(workspace.path, UPLOADS * 100 * MiB))
    return skipped('50 uploads of 100 MiB', 'no room for 5 GiB')
  await using loaded = await startLoaded()
  const { holdfast } = loaded
  const path = sparseFile(workspace.path, 100 * MiB)
  let waited: number[] = []
  const grown = await growthDuring(holdfast.child.pid, async () => {
    waited = await waitsDuring(holdfast, '/api/hosting/small', () =>
      Promise.all(Array.from({ length: UPLOADS }, (_, n) => upload(loaded, path, `f${n}`))),
    )
  })
  return {
    limits: [
      growth('memory for 50 uploads of 100 MiB at once', grown, 512 * MiB),
      { what: 'a file beside them, 99th percentile', value: percentile(waited, 0.99), show: showMs },
    ],
    notes: [],
  }
}

/** Uploads, downloads and archives a file of 10 GiB. */
export async function loadLargeFile(): Promise<Outcome> {
  using workspace = openWorkspace()
  if (!hasRoom(workspace.path, LARGE))
    return skipped('10 GiB up, down and as an archive', 'no room for 10 GiB')
  await using loaded = await startLoaded({ MAX_UPLOAD_SIZE: '20gb' })
  const { pid } = loaded.holdfast.child
  const path = sparseFile(workspace.path, LARGE)
  const before = residentBytes(pid, 'VmRSS')
  const limits: Limit[] = []
  for (const [what, work] of [
    ['an upload of 10 GiB', () => upload(loaded, path, 'large')],
    ['a download of 10 GiB', () => download(loaded, '/api/hosting/large')],
    ['an archive of 10 GiB', () => download(loaded, '/api/folders/download')],
  ] as const) {
    limits.push(growth(`memory for ${what}`, await growthDuring(pid, work, before), 128 * MiB))
  }
  return { limits, notes: [] }
}

const skipped = (what: string, why: string): Outcome => ({ limits: [], notes: [`skipped: ${what}: ${why}`] })
