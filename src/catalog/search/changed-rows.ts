/** Rows that have changed since names were last read, by their ids. */
export interface ChangedRows {
  /** Files that are new or have changed. */
  files: string[]
  /** Folders that are new or have changed. */
  folders: string[]
  /** Folders that came to another place, or returned to the tree, with everything below them. */
  attached: string[]
  /** Folders below which files have changed. */
  below: string[]
}

/** Place in which queries note the rows that they change, before the commit, within the same turn. */
export interface Notes {
  /** Missing while no names are in memory. */
  changed: ChangedRows | undefined
}

export const noChanges = (): ChangedRows => ({ files: [], folders: [], attached: [], below: [] })
