import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { type Grant, RIGHTS, type Right } from '../engine/reach.ts'
import { rowsOf } from '../engine/rows.ts'
import { apiKeys, folderGrants } from '../schema/schema.ts'

export type GrantRow = Omit<typeof folderGrants.$inferSelect, 'rights'> &
  Pick<Grant, 'rights'> & {
    /** True for rights that groups at a provider give. They stand beside those that an admin gives. */
    byGroups?: boolean
  }

/** Holder of the grants of every account. */
export const EVERYONE = ''

/** Begins the name of the holder of what groups give an account; the account's id follows. */
const GROUPS = 'groups:'

/** Returns the holders of the grants of an account: the account, and its groups. */
export const holdersOf = (userId: string): [string, string] => [userId, `${GROUPS}${userId}`]

/** Returns the number that stands for rights in a row. */
export const numberOf = (rights: readonly Right[]): number =>
  RIGHTS.reduce((sum, right, bit) => sum + (rights.includes(right) ? 1 << bit : 0), 0)

/** Returns the rights that a number stands for. */
export const rightsOf = (number: number): Right[] => RIGHTS.filter((_, bit) => (number & (1 << bit)) !== 0)

function toRow({ userId: holder, ...row }: typeof folderGrants.$inferSelect): GrantRow {
  const rights = rightsOf(row.rights)
  return holder.startsWith(GROUPS)
    ? { ...row, userId: holder.slice(GROUPS.length), rights, byGroups: true }
    : { ...row, userId: holder, rights }
}

const holderOf = (userId: string, byGroups: boolean) => holdersOf(userId)[byGroups ? 1 : 0]

/** Queries of the rights of accounts in folders. */
export function grantQueries(engine: Engine) {
  const { db, dialect, notes, prepare, body } = engine
  const folderGrantRows = rowsOf(engine, folderGrants)
  const apiKeyRows = rowsOf(engine, apiKeys)
  const all = db.select().from(folderGrants)
  const placed = { folderId: sql.placeholder('folderId'), userId: sql.placeholder('userId') }
  const of = prepare(
    all
      .where(inArray(folderGrants.userId, [placed.userId, sql.placeholder('groups'), EVERYONE]))
      .orderBy(asc(folderGrants.folderId), asc(folderGrants.userId)),
  )
  const inFolders = folderGrantRows.select(
    sql`${folderGrants.folderId} IN (${dialect.elementsOf(sql.placeholder('ids'))})`,
  )
  const set = prepareInsert(engine, folderGrants, {
    target: [folderGrants.folderId, folderGrants.userId],
    set: {
      rights: sql`excluded.rights`,
      createdAt: sql`excluded.created_at`,
      createdBy: sql`excluded.created_by`,
    },
  }).row
  const remove = folderGrantRows.remove(
    and(eq(folderGrants.folderId, placed.folderId), eq(folderGrants.userId, placed.userId)),
  )
  const noted = (userId: string) => () => notes.note({ of: 'account', id: userId })
  return {
    /** Returns what holds for an account: its own grants, and those of every account. */
    of: (userId: string): Query<GrantRow[]> =>
      of.all({ userId, groups: holdersOf(userId)[1] }).into((rows) => rows.map(toRow)),
    /** Returns the grants in some folders, without those in folders above or below. */
    inFolders: (ids: readonly string[]): Query<GrantRow[]> =>
      inFolders.all({ ids: JSON.stringify(ids) }).into((rows) => rows.map(toRow)),
    /** Makes a grant, or changes its rights. */
    set: ({ byGroups = false, ...row }: GrantRow): Query<void> => {
      const userId = holderOf(row.userId, byGroups)
      return set({ ...row, userId, rights: numberOf(row.rights) }).into(noted(row.userId))
    },
    remove: (folderId: string, userId: string, byGroups = false): Query<void> =>
      remove.run({ folderId, userId: holderOf(userId, byGroups) }).into(noted(userId)),
    removeOfUser: (userId: string): Query<void> =>
      folderGrantRows
        .remove(inArray(folderGrants.userId, holdersOf(userId)))
        .run()
        .into(noted(userId)),
    /** Removes the grants in folders that are removed for good. API keys stay bound to them. */
    removeIn: (ids: readonly string[]) =>
      folderGrantRows
        .remove(sql`${folderGrants.folderId} IN (${dialect.elementsOf(JSON.stringify(ids))})`)
        .run(),
    /** Passes the grants in a folder, and the API keys bound to it, to the one that takes its place. */
    follow: (folderId: string, next: string): Query<void> =>
      body(function* () {
        const isOld = eq(folderGrants.folderId, folderId)
        yield* folderGrantRows.remove(eq(folderGrants.folderId, next)).run()
        yield* folderGrantRows.update({ folderId: next }, isOld).run()
        yield* apiKeyRows.update({ folderId: next }, eq(apiKeys.folderId, folderId)).run()
      }),
  }
}
