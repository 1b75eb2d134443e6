import { join } from 'node:path'
import { run } from './tools.ts'

export interface Load {
  url: string
  headers?: Record<string, string>
  seconds: number
  connections?: number
  /** Arguments of `wrk.lua`: the requests to repeat in place of `url`. */
  script?: string[]
}

export interface Throughput {
  requestsPerSecond: number
  /** Rate with heads, and with bodies that the end of the run cut off. */
  bytesPerSecond: number
  /** Responses with a status of 400 or more. */
  refusals: number
  /** Connections that failed, broke or timed out. */
  socketErrors: number
}

/** Loads a server from one thread of wrk. */
export async function runWrk(
  binary: string,
  { url, headers = {}, seconds, connections = 64, script = [] }: Load,
  signal: AbortSignal,
): Promise<Throughput> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const size = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s']
  const file = join(import.meta.dir, 'wrk.lua')
  return parseTotals(await run([binary, ...size, '-s', file, ...lines, url, '--', ...script], signal))
}

/** Parses the line that `wrk.lua` prints. Its duration is in microseconds. */
export function parseTotals(output: string): Throughput {
  const line = /^totals (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(output)
  if (!line) throw new Error(`Cannot read the output of wrk: ${output}`)
  const [requests = 0, bytes = 0, microseconds = 0, refusals = 0, socketErrors = 0] = line
    .slice(1)
    .map(Number)
  const seconds = microseconds / 1e6
  return {
    requestsPerSecond: requests / seconds,
    bytesPerSecond: bytes / seconds,
    refusals,
    socketErrors,
  }
}
