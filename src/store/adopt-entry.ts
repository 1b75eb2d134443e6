import { isTooLong, nameProblem } from '../platform/names.ts'
import type { Entry } from '../volume/directory.ts'
import type { StoredFile } from '../volume/stored-file.ts'

/** Returns the reason why an entry on disk cannot be adopted under `key`; `undefined` when it can. */
export function reasonToLeave(key: string, { name, kind }: Entry): string | undefined {
  if (kind === 'other') return 'link or special file'
  const problem = nameProblem(name)
  if (problem !== undefined) return `its name ${problem}`
  return isTooLong(key) ? 'key is too long' : undefined
}

/** Converts a time on disk to the catalog's precision; times in the future become `now`. */
export const notAfter = (now: number, timeMs: number) => Math.min(Math.max(Math.trunc(timeMs), 0), now)

/** Returns the catalog's columns about a file's bytes, and closes it; `undefined` when they cannot be read. */
export async function readContent(opened: StoredFile | undefined, now: number) {
  if (!opened) return undefined
  const { size, mtimeMs } = opened
  try {
    return { size, ...(await opened.checksums()), changedAt: notAfter(now, mtimeMs) }
  } catch {
    return undefined
  }
}
