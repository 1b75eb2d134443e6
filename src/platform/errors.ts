/** Reason of a refusal: a closed list that `problem.ts` maps to statuses. */
export type Reason =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'checksum_mismatch'
  | 'header_too_large'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'request_timeout'
  | 'not_implemented'
  | 'version_not_supported'
  | 'unavailable'
  | 'no_space'
  | 'disk_refused'

interface RefusalOptions {
  /** Headers of the response, such as `Retry-After`. */
  headers?: Record<string, string>
  /** Machine-readable code for clients of the sign-in routes. */
  code?: string
  cause?: unknown
}

/**
 * Expected refusal of a request. Its message is for the caller: the mistake and the remedy, never a path, a query or
 * a secret. Any other error is a bug and becomes a 500.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Reason
  readonly headers: Record<string, string>
  /** Not called `code`: the framework would take it for its own error name. */
  readonly clientCode: string | undefined

  constructor(reason: Reason, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause })
    this.reason = reason
    this.headers = options.headers ?? {}
    this.clientCode = options.code
  }
}

export const refuseInvalid = (message: string) => new Refusal('invalid', message)
export const refuseNotFound = (message: string) => new Refusal('not_found', message)
export const refuseConflict = (message: string) => new Refusal('conflict', message)

/** @param waitSeconds Whole seconds until the rate limit allows another request. */
export const refuseTooMany = (waitSeconds: number) =>
  new Refusal('rate_limited', 'Too many requests', { headers: { 'Retry-After': String(waitSeconds) } })

/** Returns true for a refusal of the caller itself. It enters no history, which has authorized requests only. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Refusal && (error.reason === 'unauthorized' || error.reason === 'forbidden')

/** Refusal of a request that needs the database, which is away. The transaction under way has changed nothing. */
export class DatabaseAway extends Refusal {
  constructor(cause: unknown) {
    super('unavailable', 'The database cannot be reached, try again soon', {
      headers: { 'Retry-After': '5' },
      cause,
    })
  }
}

/** Refuses a change whose outcome is unknown, because the database went away meanwhile. */
export const refuseUnknown = (cause: unknown) =>
  new Refusal(
    'unavailable',
    'The database went away during the change, which may have been made: look before you try again',
    { headers: { 'Retry-After': '5' }, cause },
  )

/** Error that ends the start of the program. Its message is for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Error of a start that may succeed later: a server that it needs cannot be reached. */
export class AwayError extends StartError {}

/** Returns the system's name of an I/O error (`ENOSPC`, `SQLITE_FULL`); `undefined` for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Returns what tells reasons of failures apart: the code, or the text, which may name a descriptor. */
export const reasonOf = (error: unknown): string => errorCode(error) ?? String(error)

const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/** Returns true for an error of a full volume or database. */
export const isOutOfSpace = (error: unknown): boolean => FULL.has(errorCode(error) ?? '')

export const refuseNoSpace = (cause?: unknown) =>
  new Refusal('no_space', 'Not enough free space on the volume', { cause })

export const isReadOnlyError = (error: unknown): boolean => errorCode(error) === 'EROFS'

export const refuseReadOnly = (cause?: unknown) => refuseForNow('The volume is read-only', cause)

/** Returns the refusal for an I/O error that the operator has to mend; `undefined` for any other value. */
export function refusalOfMachine(error: unknown): Refusal | undefined {
  if (isOutOfSpace(error)) return refuseNoSpace(error)
  switch (errorCode(error)) {
    case 'EROFS':
      return refuseReadOnly(error)
    case 'EMFILE':
    case 'ENFILE':
      return refuseForNow('Too many files are open, try again soon', error)
    default:
      return undefined
  }
}

/** Codes of the system, without those of SQLite and of the runtime. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9]+$/

/**
 * Returns the refusal of a change that failed on the disk; `undefined` for any other error.
 *
 * @param message Names the file or folder, and the change that failed.
 */
export function refusalOfDisk(error: unknown, message: string): Refusal | undefined {
  const code = errorCode(error) ?? ''
  if (error instanceof Refusal || !SYSTEM_CODE.test(code)) return undefined
  return refusalOfMachine(error) ?? new Refusal('disk_refused', `${message}: ${code}`, { cause: error })
}

/** Returns a refusal that invites to retry after a second. */
export const refuseForNow = (message: string, cause: unknown) =>
  new Refusal('unavailable', message, { headers: { 'Retry-After': '1' }, cause })

/** Returns the message to the caller for an error that ends the request. It does not describe bugs. */
export function messageFor(error: unknown): string {
  const refusal = error instanceof Refusal ? error : refusalOfMachine(error)
  return refusal?.message ?? 'Internal server error'
}
