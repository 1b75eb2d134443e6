import { type Bench, inTurns, type Part } from './bench.ts'
import { GiB, MiB, median, showMs, showThroughput } from './report.ts'
import { findTool, howToGet, run } from './tools.ts'

const ROUNDS = 5

const ZIPPED = { folder: '1024-of-1m', files: 1024, size: MiB }
const SINGLE = { folder: '1g', files: 1, size: GiB }
const WHAT = 'zip of 1 GiB in 1,024 files'

/** An archive of many files beside one file of the same size from the same server, by one client. */
export const zip: Part = {
  groves: [ZIPPED, SINGLE],
  measure: async (bench) => {
    const curl = findTool('curl')
    if (!curl) {
      bench.note(howToGet('curl'))
      return []
    }
    const firstBytes: number[] = []
    const ours = async () => {
      const archive = await download(bench, curl, `/api/folders/download?key=${ZIPPED.folder}`)
      firstBytes.push(archive.firstByteMs)
      return archive.bytesPerSecond
    }
    const single = async () =>
      (await download(bench, curl, `/api/hosting/${SINGLE.folder}/0.bin`)).bytesPerSecond
    const [own = [], peer = []] = await inTurns(ROUNDS, [ours, single])
    return [
      { what: WHAT, against: 'one file', ours: own, peer, target: 0.9, show: showThroughput },
      { what: `${WHAT}, first byte`, value: median(firstBytes), limit: 20, show: showMs },
    ]
  },
}

interface Download {
  bytesPerSecond: number
  firstByteMs: number
}

/** Downloads into nothing, from a process of its own. */
async function download({ holdfast, withKey, signal }: Bench, curl: string, path: string): Promise<Download> {
  const figures = '%{size_download} %{time_total} %{time_starttransfer}'
  const key = `API-Key: ${withKey['API-Key']}`
  const command = [curl, '-sS', '--fail', '-o', '/dev/null', '-w', figures, '-H', key]
  const output = await run([...command, `${holdfast.url}${path}`], signal)
  const [bytes = 0, seconds = 0, firstByte = 0] = output.split(' ').map(Number)
  return { bytesPerSecond: bytes / seconds, firstByteMs: firstByte * 1000 }
}
