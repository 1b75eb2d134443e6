import { readFileSync, writeFileSync } from 'node:fs'
import { KiB } from './report.ts'

/** Bytes of a process that are resident now (`VmRSS`), or were at most (`VmHWM`). */
export function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${field}`)
  return Number(kib) * KiB
}

/**
 * Runs `work` and says how many bytes of the process were resident at most meanwhile. It makes the process's
 * high-water mark its present size (proc(5), `clear_refs`).
 */
export async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  await work()
  return residentBytes(pid, 'VmHWM')
}

/** Does `work` and answers with how far the process's memory rose above `before` meanwhile. */
export async function growthDuring(
  pid: number,
  before: number,
  work: () => Promise<unknown>,
): Promise<number> {
  return (await peakDuring(pid, work)) - before
}
