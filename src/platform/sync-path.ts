import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file's bytes, or a folder's entries, survive a power cut. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
