import { cpus, release, totalmem } from 'node:os'
import { GiB } from './report.ts'
import { run } from './tools.ts'
import { openWorkspace } from './workspace.ts'

/** Describes the conditions of a figure: processor, memory, kernel, disk and date. */
export async function describeMachine(signal: AbortSignal): Promise<string> {
  using workspace = openWorkspace()
  const [, disk = ''] = (await run(['df', '--output=fstype,source', workspace.path], signal)).split('\n')
  const [type, device] = disk.split(/\s+/)
  const cores = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`
  const memory = `${Math.round(totalmem() / GiB)} GiB of memory`
  const day = new Date().toISOString().slice(0, 10)
  return `${cores}, ${memory}, Linux ${release()}, ${type} on ${device}, Bun ${Bun.version}, ${day}`
}
