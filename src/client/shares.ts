import type { Connection } from './connection.ts'
import type { Share, ShareChanges, ShareFields, ShareVisit } from './types.ts'

const PATH = 'api/shares'

/** Splits accepted types as people enter them, with commas or spaces between. */
export const splitTypes = (text: string): string[] => text.split(/[\s,]+/).filter((type) => type !== '')

/** Returns the calls of `/api/shares`. Each throws a `HoldfastError` when the server refuses it. */
export function shareCalls(connection: Connection) {
  const one = async (method: 'POST' | 'PUT', json: object) =>
    (await connection.data<{ share: Share }>(PATH, { method, json })).share
  return {
    /** Lists the caller's shares, newest first; with `all` those of every account, which needs `users:manage`. */
    list: async ({ all = false }: { all?: boolean } = {}): Promise<Share[]> =>
      (await connection.data<{ shares: Share[] }>(PATH, { query: { all: all ? '1' : undefined } })).shares,
    /** Shares files and folders. The `url` of the share is relative to that of the client. */
    create: (fields: ShareFields): Promise<Share> => one('POST', fields),
    /** Changes rules of a share; null removes one. */
    change: (id: string, changes: ShareChanges): Promise<Share> => one('PUT', { id, ...changes }),
    /** Lists the latest visits of a share, newest first, or those before one. */
    visits: async (id: string, { before }: { before?: string } = {}): Promise<ShareVisit[]> =>
      (await connection.data<{ visits: ShareVisit[] }>(`${PATH}/visits`, { query: { id, before } })).visits,
    /** Ends a share at once. */
    end: (id: string): Promise<null> => connection.data(PATH, { method: 'DELETE', json: { id } }),
  }
}
