import type { Connection } from './connection.ts'
import type { Failure, RestoredItem, TrashItem } from './types.ts'

const PATH = 'api/trash'

/** Returns the calls of `/api/trash`. Each throws a `HoldfastError` when the server refuses it. */
export function trashCalls(connection: Connection) {
  const remove = (json: object): Promise<{ deleted: number; failed: Failure[] }> =>
    connection.data(PATH, { method: 'DELETE', json })
  return {
    /** Moves files and folders to the trash, each on its own. Returns the moved ids and the failures. */
    put: (items: {
      fileIds?: readonly string[]
      folderIds?: readonly string[]
    }): Promise<{ trashed: string[]; failed: Failure[] }> =>
      connection.data(PATH, { method: 'POST', json: items }),
    /**
     * Returns a page of the items in the trash, the latest first unless `part` says otherwise, the number of all, and
     * the days that items stay.
     */
    list: (
      part: {
        limit?: number
        offset?: number
        /** Text in the key of an item. */
        search?: string
        orderBy?: 'deletedAt' | 'name' | 'size'
        orderDirection?: 'ASC' | 'DESC'
      } = {},
    ): Promise<{ items: TrashItem[]; total: number; trashDays: number }> =>
      connection.data(PATH, { query: { ...part } }),
    /** Restores files and folders, each on its own. A name that is taken since gets a number. */
    restore: (ids: readonly string[]): Promise<{ restored: RestoredItem[]; failed: Failure[] }> =>
      connection.data(`${PATH}/restore`, { method: 'POST', json: { ids } }),
    /** Removes items of the trash for good. Returns how many, and the failures. */
    delete: (ids: readonly string[]) => remove({ ids }),
    /** Removes everything in the trash for good. */
    empty: () => remove({ all: true }),
  }
}
