/** Why a request is refused: the closed list that `problem.ts` maps to statuses. */
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
  /** Headers that belong to the answer, such as `Retry-After`. */
  headers?: Record<string, string>
  /** A machine-readable code for clients of the sign-in routes. */
  code?: string
  cause?: unknown
}

/**
 * The one kind of expected "no". Its message is written for the caller: what was wrong and what to do,
 * never a path, a query or a secret. Anything else that is thrown is a bug and answers 500.
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

/** Refusals of the caller itself. They enter no history: only what a caller was allowed to do does. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Refusal && (error.reason === 'unauthorized' || error.reason === 'forbidden')

/** A start that must not go on; the message is for the person who started the server. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The system's name for an I/O error (`ENOSPC`, `SQLITE_FULL`), or `undefined` for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])

/** Whether `error` says that the volume or the database has no room left. */
export const isOutOfSpace = (error: unknown): boolean => FULL.has(errorCode(error) ?? '')

export const refuseNoSpace = (cause?: unknown) =>
  new Refusal('no_space', 'Not enough free space on the volume', { cause })

export const isReadOnlyError = (error: unknown): boolean => errorCode(error) === 'EROFS'

export const refuseReadOnly = (cause?: unknown) => refuseForNow('The volume is read-only', cause)

/** What a caller is told of an I/O error that is the machine's to mend, or `undefined` for any other value. */
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

/** The system's own codes: not those of SQLite or of the runtime. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9]+$/

/**
 * Returns the refusal of a change that the disk did not let happen; `undefined` for any other error.
 *
 * @param message Names the file or folder, and says what could not be done.
 */
export function refusalOfDisk(error: unknown, message: string): Refusal | undefined {
  const code = errorCode(error) ?? ''
  if (error instanceof Refusal || !SYSTEM_CODE.test(code)) return undefined
  return refusalOfMachine(error) ?? new Refusal('disk_refused', `${message}: ${code}`, { cause: error })
}

/** For what may be different in a second. */
export const refuseForNow = (message: string, cause: unknown) =>
  new Refusal('unavailable', message, { headers: { 'Retry-After': '1' }, cause })

/** What a caller is told when `error` ends the request. A bug says nothing about itself. */
export function messageFor(error: unknown): string {
  const refusal = error instanceof Refusal ? error : refusalOfMachine(error)
  return refusal?.message ?? 'Internal server error'
}
