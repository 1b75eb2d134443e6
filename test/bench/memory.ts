import { readFileSync, writeFileSync } from 'node:fs'
import { KiB, type MemoryUse } from './report.ts'

/** Bytes of a process that are resident now (`VmRSS`), or were at most (`VmHWM`). */
export function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${field}`)
  return Number(kib) * KiB
}

/** Makes the process's high-water mark its present size (proc(5), `clear_refs`). */
export const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

export interface Watched {
  pid: number
  what: string
  /** Bytes resident before any large body. */
  before: number
}

/** Runs `work` and says how far the process's memory rose meanwhile. */
export async function watchMemory(
  { pid, what, before }: Watched,
  work: () => Promise<unknown>,
): Promise<MemoryUse> {
  resetPeak(pid)
  await work()
  return { what, before, peak: residentBytes(pid, 'VmHWM') }
}
