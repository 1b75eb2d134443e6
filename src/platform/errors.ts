import { ERROR_CODES, type ErrorCode } from './error-codes.ts'

interface RefusalOptions {
  /** Headers of the response, such as `Retry-After`. */
  headers?: Record<string, string>
  /** Status where the contract has another one for the code. */
  status?: number
  cause?: unknown
}

/**
 * Expected refusal of a request. Its message is for the caller: the mistake and the remedy, never a path, a query or
 * a secret. Any other error is a bug and becomes a 500.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Not called `code`: the framework would take it for its own error name. */
  readonly reason: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  /** @param message For the caller; without one, the meaning of the code. */
  constructor(reason: ErrorCode, message?: string, options: RefusalOptions = {}) {
    const [status, meaning] = ERROR_CODES[reason]
    super(message ?? meaning, { cause: options.cause })
    this.reason = reason
    this.status = options.status ?? status
    this.headers = options.headers ?? {}
  }
}

export const refuseInvalid = (message: string) => new Refusal('invalid', message)
export const refuseConflict = (message: string) => new Refusal('conflict', message)

/** @param waitSeconds Whole seconds until the rate limit allows another request. */
export const refuseTooMany = (waitSeconds: number) =>
  new Refusal('rate-limited', undefined, { headers: { 'Retry-After': String(waitSeconds) } })

/** Returns true for a refusal with one of these statuses. */
export const isRefused = (error: unknown, ...statuses: number[]): error is Refusal =>
  error instanceof Refusal && statuses.includes(error.status)

/**
 * Returns true for a refusal of the caller itself, wherever a file or folder is. It enters no history, which has
 * authorized requests only.
 */
export const isForbidden = (error: unknown): boolean =>
  isRefused(error, 401, 403) && error.reason !== 'right-missing'

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
    'outcome-unknown',
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

/** Returns the cause of a failure for the operator, in one line. */
export function causeOf(error: unknown): string {
  const code = errorCode(error)
  if (code !== undefined && SYSTEM_CODE.test(code))
    return `${code}: check the owner, mode and attributes of the file and of its folder`
  return error instanceof Error ? error.message : String(error)
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/** Returns true for an error of a full volume or database. */
export const isOutOfSpace = (error: unknown): boolean => FULL.has(errorCode(error) ?? '')

export const refuseNoSpace = (cause?: unknown) => new Refusal('no-space', undefined, { cause })

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

/** Codes of a disk that does not accept a name, such as `a:b` on NTFS, or a long one on an encrypted disk. */
const NAME_REFUSED = new Set(['EINVAL', 'EILSEQ', 'ENAMETOOLONG'])

/**
 * Returns the refusal of a change that failed on the disk; `undefined` for any other error.
 *
 * @param message Names the file or folder, and the change that failed.
 */
export function refusalOfDisk(error: unknown, message: string): Refusal | undefined {
  const code = errorCode(error) ?? ''
  if (error instanceof Refusal || !SYSTEM_CODE.test(code)) return undefined
  if (NAME_REFUSED.has(code))
    return new Refusal('invalid', `${message}: the disk of the server does not accept the name`, {
      cause: error,
    })
  return refusalOfMachine(error) ?? new Refusal('disk-refused', `${message}: ${code}`, { cause: error })
}

/** Returns a refusal that invites to retry after a second. */
export const refuseForNow = (message: string, cause: unknown) =>
  new Refusal('unavailable', message, { headers: { 'Retry-After': '1' }, cause })

/** Returns the message to the caller for an error that ends the request. It does not describe bugs. */
export function messageFor(error: unknown): string {
  const refusal = error instanceof Refusal ? error : refusalOfMachine(error)
  return refusal?.message ?? 'Internal server error'
}
