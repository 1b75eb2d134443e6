import { readdirSync, readlinkSync } from 'node:fs'

/** Returns the paths that the descriptors of a process lead to, `self` by default; none once it has exited. */
export function openFiles(pid: number | 'self' = 'self'): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map((fd) => linkOf(`${folder}/${fd}`))
  } catch {
    return []
  }
}

/** Returns where a descriptor leads to; nothing when it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
