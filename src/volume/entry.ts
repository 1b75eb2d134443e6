import type { Dirent, Stats } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { type FileIdentity, identityOf } from './staging.ts'

/** Named entry of a directory of the volume. */
export interface Entry {
  name: string
  kind: 'file' | 'directory' | 'other'
}

export function kindOf(entry: Dirent | Stats): Entry['kind'] {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}

/** True for two states of one file that nothing wrote to in between. */
export const sameFile = (a: FileIdentity, b: FileIdentity) =>
  a.inode === b.inode && a.size === b.size && Math.trunc(a.mtimeMs) === Math.trunc(b.mtimeMs)

/**
 * Removes a name of a regular file if the file has the known `identity`.
 *
 * @param isLastName True if it may be the file's last name.
 * @returns True when the name was removed.
 */
export async function unlinkKnown(
  path: string,
  identity?: FileIdentity,
  { isLastName = true }: { isLastName?: boolean } = {},
): Promise<boolean> {
  const stat = await lstat(path)
  if (kindOf(stat) !== 'file' || (identity && !sameFile(identityOf(stat), identity))) return false
  if (stat.nlink === 1 && !isLastName) return false
  await unlink(path)
  return true
}
