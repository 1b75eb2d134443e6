import { statSync } from 'node:fs'
import { dirname } from 'node:path'

interface Folders {
  root: string
  db: string
  uploads: string
  tmp: string
}

/**
 * Mode of folders created in the data folder. Private files and the catalog are accessible to their owner
 * only.
 */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

const modeOf = (path: string) => statSync(path).mode

/**
 * Returns advice on closing folders of the data folder that other users of the machine can reach, as earlier
 * versions made them; `undefined` when there is none. They are not changed, because an operator may have
 * opened them on purpose.
 */
export function adviceToClose({ root, db, uploads, tmp }: Folders): string | undefined {
  // Permission of group and others to pass through, as far as all folders above grant it.
  let passing = 0o011 & modeOf(root)
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder))
    passing &= modeOf(dirname(folder))
  const toReadOrPass = passing * 0o5
  const open = [db, uploads, tmp].filter((folder) => (modeOf(folder) & toReadOrPass) !== 0)
  if (open.length === 0) return undefined
  const folders = open.map((folder) => `"${folder}"`).join(' ')
  return `Other users of this machine can read the data folder. To keep them out: chmod 700 ${folders}`
}
