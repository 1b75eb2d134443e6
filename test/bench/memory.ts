import { readFileSync, writeFileSync } from 'node:fs'
import { KiB } from './report.ts'

/** Returns the resident bytes of a process: now (`VmRSS`) or at their peak (`VmHWM`). */
export function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${field}`)
  return Number(kib) * KiB
}

/**
 * Runs `work` and returns the peak of the process's resident bytes. Resets the process's high-water mark first
 * (proc(5), `clear_refs`).
 */
export async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  await work()
  return residentBytes(pid, 'VmHWM')
}

/** Runs `work` and returns the greatest growth of the process's memory above `before`, by default what it has now. */
export async function growthDuring(
  pid: number,
  work: () => Promise<unknown>,
  before = residentBytes(pid, 'VmRSS'),
): Promise<number> {
  return (await peakDuring(pid, work)) - before
}

/** Unit of the times in `/proc/[pid]/stat`, in milliseconds (proc(5)). */
const TICK_MS = 10

/** Returns the processor time of a process so far, in milliseconds. */
export function processorMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * TICK_MS
}
