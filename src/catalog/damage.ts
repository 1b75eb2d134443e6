import { errorCode, StartError } from '../platform/errors.ts'

/** What to do about a database that is damaged. */
export const REBUILD_ADVICE =
  'Restore a backup, or move the folder "db" away and run "repair --adopt --from <where it is now>", which ' +
  'makes a new database from the stored files and from what can be read of this one.'

/** Whether `error` says that the database is damaged. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error) ?? '') ||
  (error instanceof Error && error.cause !== undefined && isDamage(error.cause))

/** The error itself, or one for the person at the keyboard when it says that the database is damaged. */
export const explainDamage = (error: unknown): unknown =>
  isDamage(error) && !(error instanceof StartError)
    ? new StartError(`The database is damaged. ${REBUILD_ADVICE}`, { cause: error })
    : error
