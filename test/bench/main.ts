import { measureParts, type Part } from './bench.ts'
import { hosting } from './hosting.ts'
import { latency } from './latency.ts'
import { longList } from './long-list.ts'
import { describeMachine } from './machine.ts'
import { arrival, photos } from './photos.ts'
import { protocols } from './protocols.ts'
import { formatReport, MB, showMB } from './report.ts'
import { start } from './start.ts'
import { timing } from './timing.ts'
import { tls } from './tls.ts'
import { tree } from './tree.ts'
import { upload } from './upload.ts'
import { zip } from './zip.ts'

/** Parts of the table, in its order. */
const TABLE = { hosting, upload, zip, start, latency }
const PARTS = new Map<string, Part>(
  Object.entries({ ...TABLE, protocols, tls, tree, timing, photos, arrival, list: longList }),
)
/** Time limit of a run with all parts. */
const LIMIT_MS = 1_200_000

async function main(names: string[]): Promise<void> {
  const isTable = names.length === 0 || names.includes('all')
  const chosen = isTable ? Object.keys(TABLE) : names
  const unknown = chosen.find((name) => !PARTS.has(name))
  if (unknown !== undefined) {
    throw new Error(`There is no part "${unknown}". Usage: bun run bench [${[...PARTS.keys()].join('|')}]...`)
  }
  const parts = new Map([...PARTS].filter(([name]) => chosen.includes(name)))
  const signal = AbortSignal.any([interruption.signal, AbortSignal.timeout(LIMIT_MS)])
  const begin = performance.now()
  const { rows, notes, peaks } = await measureParts(parts, signal)
  if (isTable) {
    const value = Math.max(...peaks)
    rows.push({ what: 'memory during all of it, at most', value, limit: 300 * MB, show: showMB })
  }
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  console.log(formatReport({ title: `${await describeMachine(signal)}, in ${seconds} s`, rows, notes }))
}

const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interruption.abort(new Error(`Interrupted by ${name}`)))
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(`The bench failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
