import { errorCode, StartError } from '../../platform/errors.ts'

/** Advice for a damaged database. */
export const REBUILD_ADVICE =
  'Restore a backup, or move the folder "db" away and run "repair --adopt --from <where it is now>", which ' +
  'makes a new database from the stored files and from what can be read of this one.'

/** True when `error` says that the database is damaged. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error) ?? '') ||
  (error instanceof Error && error.cause !== undefined && isDamage(error.cause))

/** Returns the error itself, or one with advice for the operator when the database is damaged. */
export const explainDamage = (error: unknown): unknown =>
  isDamage(error) && !(error instanceof StartError)
    ? new StartError(`The database is damaged. ${REBUILD_ADVICE}`, { cause: error })
    : error
