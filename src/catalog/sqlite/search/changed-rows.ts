/** Ids of rows that have changed since names were last read. */
export interface ChangedRows {
  /** Files that are new or have changed. */
  files: string[]
  /** Folders that are new or have changed. */
  folders: string[]
  /** Folders that were moved or returned to the tree, with everything below them. */
  attached: string[]
  /** Folders below which files have changed. */
  below: string[]
}

/** Holder of the notes that queries add to, before the commit and within the same turn. */
export interface Notes {
  /** Missing while no names are in memory. */
  changed: ChangedRows | undefined
}

export const noChanges = (): ChangedRows => ({ files: [], folders: [], attached: [], below: [] })
