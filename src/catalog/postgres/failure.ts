import { SQL } from 'bun'
import { DatabaseAway, refuseNoSpace, refuseUnknown, StartError } from '../../platform/errors.ts'

/**
 * Failure of a query. PostgreSQL's own error may show values of rows and parameters, so only its code and the name of
 * the constraint are taken from it.
 */
export class PostgresFailure extends Error {
  override readonly name = 'PostgresFailure'
  /** SQLSTATE of the server, or the code of the client when the connection failed. */
  readonly code: string
  readonly constraint: string | undefined

  constructor(code: string, constraint?: string, message?: string) {
    super(`PostgreSQL: ${[code, constraint, message].filter((part) => part !== undefined).join(', ')}`)
    this.code = code
    this.constraint = constraint
  }
}

/** Error of a commit that may or may not be durable: the connection broke while it was under way. */
export class UnknownCommit extends Error {
  override readonly name = 'UnknownCommit'

  constructor(cause: unknown) {
    super('The connection to PostgreSQL broke during a commit, so the outcome is unknown', { cause })
  }
}

/** Codes of a mistake in our SQL, whose messages quote it and no values, and of what a pooler says about itself. */
const IS_MISTAKE = /^(?:42|08P01)/

export function failureOf(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error
  const code = error.errno ?? error.code
  return new PostgresFailure(code, error.constraint, IS_MISTAKE.test(code) ? error.message : undefined)
}

const POOLED =
  'The pooler in front of PostgreSQL hands each transaction another connection. Set it to session mode (PgBouncer: ' +
  'pool_mode = session), or connect to PostgreSQL itself.'

const codeOf = (error: unknown): string => (error instanceof PostgresFailure ? error.code : '')

/**
 * Codes of a server that cannot be reached, is starting, stopping or full, has lost its role, or has ended a transaction
 * that paused for too long
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const AWAY = /^(?:08...|57P0.|53300|25006|25P03|ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME).*)$/

/** True when the server cannot be reached or takes no query now. */
export const isAway = (error: unknown): boolean => AWAY.test(codeOf(error))

/** True when an attempt to connect took all of its time: it had no response, or a proxy closed connection after connection. */
export const isTimeout = (error: unknown): boolean =>
  /^ERR_POSTGRES_CONNECTION_(?:TIMEOUT|FAILED)$/.test(codeOf(error))

/** True when the transaction lost against another one, and can be run again. */
export const isConflict = (error: unknown): boolean => /^(?:40001|40P01)$/.test(codeOf(error))

/**
 * True when a row with the same key was committed meanwhile. What a body has looked for before has changed, so it can
 * be run again, and finds the row then.
 */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505'

/** True when queries of one connection have reached different ones of the server. */
const isPooled = (error: unknown): boolean => /^(?:42P05|26000)$/.test(codeOf(error))

/** Returns the error that callers of the catalog get. */
export function errorFor(error: unknown): unknown {
  if (isPooled(error)) return new StartError(POOLED, { cause: error })
  if (error instanceof UnknownCommit) return refuseUnknown(error)
  if (isAway(error) || codeOf(error) === '57014') return new DatabaseAway(error)
  if (codeOf(error) === '53100') return refuseNoSpace(error)
  return error
}
