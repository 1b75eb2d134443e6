import { benchCaddy, benchHosting } from './hosting.ts'
import { benchLatency } from './latency.ts'
import { benchLinks } from './links.ts'
import { benchManyUploads } from './many-uploads.ts'
import { formatReport, type Report } from './report.ts'
import { benchTiming } from './timing.ts'
import { benchTree } from './tree.ts'
import { benchUpload } from './upload.ts'
import { benchZip } from './zip.ts'

/** Measures, side by side with a peer, until it is done or `signal` ends it; leaves nothing behind. */
type Bench = (signal: AbortSignal) => Promise<Report>

const BENCHES = new Map<string, Bench>([
  ['hosting', benchHosting],
  ['caddy', benchCaddy],
  ['latency', benchLatency],
  ['timing', benchTiming],
  ['tree', benchTree],
  ['links', benchLinks],
  ['upload', benchUpload],
  ['many-uploads', benchManyUploads],
  ['zip', benchZip],
])

const LIMIT_MS = 300_000

const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interruption.abort(new Error(`Interrupted by ${name}`)))
}

async function main([chosen]: string[]): Promise<void> {
  const names = chosen === 'all' ? [...BENCHES.keys()] : [chosen ?? '']
  for (const name of names) {
    const bench = BENCHES.get(name)
    if (!bench) {
      console.log(`Usage: bun run bench ${[...BENCHES.keys(), 'all'].join('|')}`)
      process.exitCode = chosen === undefined ? 0 : 1
      return
    }
    const signal = AbortSignal.any([interruption.signal, AbortSignal.timeout(LIMIT_MS)])
    console.log(`${formatReport(await bench(signal))}\n`)
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(`The bench failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
