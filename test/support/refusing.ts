import { chmodSync, closeSync, openSync } from 'node:fs'

const IS_ROOT = process.getuid?.() === 0

/** The system's code for what `refuseRemovals` refuses. */
export const REFUSED = IS_ROOT ? 'EPERM' : 'EACCES'

/**
 * Has the system refuse every removal from a directory, wherever it is moved, until it is disposed of. Modes do not
 * hold root: for root the directory becomes append-only.
 */
export const refuseRemovals = (directory: string): Disposable => refuse(directory, 'a')

/** Has the system refuse every new name in a directory, and every removal, until it is disposed of. */
export const refuseChanges = (directory: string): Disposable => refuse(directory, 'i')

function refuse(directory: string, attribute: 'a' | 'i'): Disposable {
  const fd = openSync(directory, 'r')
  // The last component is no link, which chattr would not follow.
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
