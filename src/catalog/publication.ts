import { and, asc, eq, sql } from 'drizzle-orm'
import { Refusal, refuseForNow } from '../platform/errors.ts'
import { formatBytes } from '../platform/size.ts'
import { type Engine, prepareInsert } from './engine/engine.ts'
import type { Query, Steps, Work } from './engine/query.ts'
import type { ActivityRow, activityQueries } from './people/activities.ts'
import { prepareStorage } from './people/quotas.ts'
import { files, folders, intents, quotas } from './schema/schema.ts'
import type { Finished, resumableQueries } from './shares/resumables.ts'
import type { shareQueries } from './shares/shares.ts'
import type { ShareVisitRow, shareVisitQueries } from './shares/visits.ts'
import type { deliveryQueries, WebhookEvent } from './shares/webhooks.ts'
import type { blobQueries } from './tree/blobs.ts'
import type { FileRow, fileQueries } from './tree/files.ts'
import type { FolderRow, folderQueries } from './tree/folders.ts'

type IntentRow = typeof intents.$inferSelect

/** Queries of the intents: operations on volume and catalog that began and have not finished. */
export function intentQueries(engine: Engine) {
  const { db, prepare } = engine
  const remove = prepare(db.delete(intents).where(eq(intents.id, sql.placeholder('id'))))
  return {
    all: (): Query<IntentRow[]> =>
      prepare(db.select().from(intents).orderBy(asc(intents.createdAt), asc(intents.id))).all(),
    insert: prepareInsert(engine, intents).row,
    /** Changes the plan of an intent. */
    update: (id: string, plan: unknown): Query<void> =>
      prepare(db.update(intents).set({ plan }).where(eq(intents.id, id))).run(),
    remove: (id: string): Query<void> => remove.run({ id }),
  }
}

/** Queries of the names in a folder, which its files and folders share. */
export function nameQueries({ db, prepare }: Engine) {
  const folderId = sql.placeholder('folderId')
  const name = sql.placeholder('name')
  const isFile = and(eq(files.folderId, folderId), eq(files.name, name))
  const isFolder = and(eq(folders.parentId, folderId), eq(folders.name, name))
  const ofFiles = db.select({ kind: sql<'file' | 'folder'>`'file'` }).from(files).where(isFile)
  const ofFolders = db.select({ kind: sql<'file' | 'folder'>`'folder'` }).from(folders).where(isFolder)
  const holder = prepare(ofFiles.unionAll(ofFolders))
  return {
    /** Returns what has a name: a file or a folder. */
    holderOf: (folderId: string, name: string): Query<'file' | 'folder' | undefined> =>
      holder.get({ folderId, name }).into((found) => found?.kind),
  }
}

/** Bytes that come to an account. */
interface Addition {
  userId: string
  bytes: number
  /** True when visitors of a share send them. */
  isOfVisitors?: boolean
  /** Unfinished upload that they were. */
  finishes?: string | undefined
}

/** Queries of the room that an account has for more bytes, beside those of its files and of unfinished uploads. */
export function roomQueries(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const { quota, used, unfinished } = prepareStorage(engine)
  // A row that was changed makes a serializable transaction run again; one that was only locked does not.
  const lockedQuota = prepare(
    db
      .update(quotas)
      .set({ bytes: sql`${quotas.bytes}` })
      .where(eq(quotas.userId, sql.placeholder('userId')))
      .returning({ bytes: quotas.bytes }),
  )
  function* leftOf({ userId, finishes = '' }: Addition, limit: { bytes: number } | undefined): Work<number> {
    if (!limit) return Number.POSITIVE_INFINITY
    const stored = (yield* used.get({ userId }))?.size ?? 0
    return limit.bytes - stored - ((yield* unfinished.get({ userId, finishes }))?.bytes ?? 0)
  }
  return {
    /**
     * Refuses bytes that have no room now, before they are sent.
     *
     * @throws {Refusal} `no-space`.
     */
    assertRoom: (addition: Addition): Query<void> =>
      body(function* () {
        const { userId, bytes } = addition
        if (bytes <= 0) return
        const left = yield* leftOf(addition, yield* quota.get({ userId }))
        if (bytes > left) throw refuseOverQuota(addition, left)
      }),
    /**
     * Refuses bytes that have no room, within the transaction that adds them. No other one adds bytes to an account with a
     * quota until this one ends.
     *
     * @throws {Refusal} `no-space`.
     */
    *claim(addition: Addition): Work<void> {
      const { userId, bytes } = addition
      if (bytes <= 0) return
      const left = yield* leftOf(
        addition,
        yield* (dialect.isConcurrent ? lockedQuota : quota).get({ userId }),
      )
      if (bytes > left) throw refuseOverQuota(addition, left)
    },
  }
}

/** Returns the refusal of bytes that their account has no room for. */
export function refuseOverQuota({ bytes, isOfVisitors = false }: Omit<Addition, 'userId'>, left: number) {
  // Rounded apart, so that they differ.
  const [needed, free] = [formatBytes(bytes, Math.ceil), formatBytes(Math.max(left, 0), Math.floor)]
  return new Refusal(
    'quota-exceeded',
    isOfVisitors
      ? 'These files do not fit: the storage of the owner of this share is full'
      : `These files need ${needed}, but your storage has ${free} left. Delete files for good, or ask an admin`,
  )
}

/** A file's row before its visibility is decided. */
export type NewFile = Omit<FileRow, 'visibility'>

export type Copied = ReturnType<typeof copiedOf>

/** Returns what a copy has from its original: all columns but its place, bytes, sender and times. */
export function copiedOf(original: FileRow) {
  const { id, folderId, name, mimeType, size, crc32, sha256, isUtf8, blobId, ...others } = original
  const { uploadedBy, facts, createdAt, updatedAt, ...copied } = others
  return copied
}

/** Folders and files that begin to exist together. */
export interface Publication {
  /** Intent that announced them; missing when nothing is on disk. */
  intentId?: string
  /** Folders to insert, parents first. */
  folders: readonly FolderRow[]
  files: readonly NewFile[]
}

/** Rest of a publication's transaction, decided when no other can commit before it. */
export interface Terms {
  visibility: FileRow['visibility']
  /** Columns of copies that come from their originals, by the ids of the copies. */
  copied?: ReadonlyMap<string, Copied>
  activity?: ActivityRow
  /** Resumable upload that becomes the file. */
  resumable?: Finished
  /** Share that received the files, with a visit for each. `isReserved` if they are within its limits already. */
  share?: { id: string; bytes: number; visits: readonly ShareVisitRow[]; isReserved: boolean }
  /** Event for webhooks. */
  event?: WebhookEvent | undefined
  /** Further rows of the transaction. */
  alongside?: () => Steps<void>
}

export interface PublicationTables {
  activities: Pick<ReturnType<typeof activityQueries>, 'insert'>
  blobs: Pick<ReturnType<typeof blobQueries>, 'keepAll'>
  files: Pick<ReturnType<typeof fileQueries>, 'insert'>
  folders: Pick<ReturnType<typeof folderQueries>, 'insert'>
  intents: Pick<ReturnType<typeof intentQueries>, 'remove'>
  resumables: Pick<ReturnType<typeof resumableQueries>, 'finish'>
  shares: Pick<ReturnType<typeof shareQueries>, 'addReceived'>
  shareVisits: Pick<ReturnType<typeof shareVisitQueries>, 'insert'>
  webhookDeliveries: Pick<ReturnType<typeof deliveryQueries>, 'announce'>
}

/**
 * Returns the rest of a publication's transaction, once its account has room for the files. They are of one account.
 *
 * @throws {Refusal} `no-space`, what `decide` throws.
 */
export function* admitPublication(
  { quotas }: { quotas: Pick<ReturnType<typeof roomQueries>, 'claim'> },
  { files }: Publication,
  decide: () => Steps<Terms>,
): Work<Terms> {
  const terms = yield* decide()
  const userId = files[0]?.uploadedBy
  if (!userId) return terms
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  yield* quotas.claim({
    userId,
    bytes,
    isOfVisitors: terms.share !== undefined,
    finishes: terms.resumable?.id,
  })
  return terms
}

/**
 * Inserts the rows of a publication and removes its intent, inside the caller's transaction.
 *
 * @throws {Refusal} `unavailable` when a blob is not arriving any more, `too-large` past the limits of a share.
 */
export function* insertPublication(
  tables: PublicationTables,
  publication: Publication,
  terms: Terms,
): Work<void> {
  const { activities, blobs, files, folders, intents, resumables, shares, shareVisits } = tables
  const arrived = publication.files.flatMap(({ blobId, size }) =>
    blobId === null ? [] : { id: blobId, size },
  )
  if (arrived.length > 0 && !(yield* blobs.keepAll(arrived))) throw refuseGivenUp()
  if (publication.folders.length > 0) yield* folders.insert(publication.folders)
  yield* files.insert(publication.files.map((file) => withVisibility(file, terms)))
  const { activity, resumable, share, event } = terms
  if (resumable) yield* resumables.finish(resumable)
  if (share) {
    const { id, bytes, visits, isReserved } = share
    if (!isReserved && !(yield* shares.addReceived(id, { files: visits.length, bytes }))) throw refuseFull()
    for (const visit of visits) yield* shareVisits.insert(visit)
  }
  if (activity) yield* activities.insert(activity)
  if (event) yield* tables.webhookDeliveries.announce(event)
  if (terms.alongside) yield* terms.alongside()
  if (publication.intentId !== undefined) yield* intents.remove(publication.intentId)
}

/** Returns the refusal of files that a share has no room for. */
export const refuseFull = () => new Refusal('share-full')

/** Returns the refusal of bytes that the server gave up, because they took too long to arrive. */
export const refuseGivenUp = () => refuseForNow('The upload took too long, try again', undefined)

/** Builds the row of a published file. */
export const withVisibility = (file: NewFile, { visibility, copied }: Terms): FileRow => ({
  ...file,
  visibility,
  ...copied?.get(file.id),
})
