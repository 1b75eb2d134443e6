import { chmodSync, closeSync, openSync } from 'node:fs'

const IS_ROOT = process.getuid?.() === 0

/** Error code of a refused removal. */
export const REFUSED = IS_ROOT ? 'EPERM' : 'EACCES'

/**
 * Makes the system refuse every removal from a directory until it is disposed of, even if the directory moves. Modes do
 * not stop root, so for root the directory becomes append-only.
 */
export const refuseRemovals = (directory: string): Disposable => refuse(directory, 'a')

/** Makes the system refuse every new entry and every removal in a directory until it is disposed of. */
export const refuseChanges = (directory: string): Disposable => refuse(directory, 'i')

function refuse(directory: string, attribute: 'a' | 'i'): Disposable {
  const fd = openSync(directory, 'r')
  // chattr does not follow links, so the last component must not be one.
  const path = `/proc/${process.pid}/fd/${fd}/.`
  const change = (isRefusing: boolean) => {
    if (!IS_ROOT) return chmodSync(path, isRefusing ? 0o555 : 0o755)
    const sign = isRefusing ? '+' : '-'
    const { success, stderr } = Bun.spawnSync(['chattr', `${sign}${attribute}`, path])
    if (!success) throw new Error(`chattr failed: ${stderr}`)
  }
  change(true)
  return {
    [Symbol.dispose]: () => {
      change(false)
      closeSync(fd)
    },
  }
}
