import type { Clock } from './clock.ts'
import type { Config } from './config.ts'

/** Values of a line of the log, by name. Never a secret: no query, no header, no body. */
export type LogFields = Readonly<Record<string, string | number>>

export interface Log {
  /** Written at every level: security events, and what the operator must know after a start. */
  notice: (message: string, fields?: LogFields) => void
  info: (message: string, fields?: LogFields) => void
  /** `error` is for the operator only: no client sees it. */
  error: (message: string, error: unknown, fields?: LogFields) => void
  /** Missing unless the log level is debug. */
  debug?: (message: string, fields: LogFields) => void
}

/** Log of text lines, for commands and for a server without `LOG_FORMAT=json`. */
export const textLog: Log = {
  notice: (message, fields) => textLog.info(message, fields),
  info: (message, fields) => console.log(`${message}${inWords(fields)}`),
  error: (message, error, fields) => console.error(`${message}${inWords(fields)}:`, withoutParameters(error)),
}

const inWords = (fields: LogFields = {}): string =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${value}`)
    .join('')

/** Returns the server's log, in the configured form and down to the configured level. */
export function createLog(
  { logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>,
  clock: Clock,
): Log {
  const { info, error, debug } = logFormat === 'json' ? jsonLog(clock) : { ...textLog, debug: textDebug }
  return {
    notice: info,
    info: logLevel === 'error' ? () => {} : info,
    error,
    ...(logLevel === 'debug' && { debug }),
  }
}

const textDebug = (message: string, fields: LogFields) =>
  console.log(`${message} ${Object.values(fields).join(' ')}`)

/** Returns a log of JSON objects, one a line, on the standard output. */
function jsonLog(clock: Clock): Required<Omit<Log, 'notice'>> {
  const write = (level: string, message: string, fields: object = {}) => {
    const time = new Date(clock.now()).toISOString()
    console.log(JSON.stringify({ level, time, ...fields, msg: message }))
  }
  return {
    info: (message, fields) => write('info', message, fields),
    error: (message, error, fields) =>
      write('error', message, { ...fields, err: describe(withoutParameters(error)) }),
    debug: (message, fields) => write('debug', message, fields),
  }
}

/** Returns an error as JSON can hold it: its own fields as well, such as `code`, and its causes. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : Bun.inspect(error)
  const causes = causesOf(error)
  const described = {
    type: error.constructor.name,
    message: causes.map(({ message }) => message).join(': '),
    stack: causes.map(({ stack = '' }) => stack).join('\ncaused by: '),
    ...(error instanceof AggregateError && { aggregateErrors: error.errors.map(describe) }),
  }
  const own = Object.entries(error).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value))
  return { ...described, ...Object.fromEntries(own), ...described }
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: Error): Error[] {
  const causes: Error[] = []
  for (let next: unknown = error; next instanceof Error && !causes.includes(next); next = next.cause)
    causes.push(next)
  return causes
}

/** Returns the cause of a failed query, because its parameters may be hashes of secrets. */
function withoutParameters(error: unknown): unknown {
  return error instanceof Error && 'params' in error ? (error.cause ?? error.name) : error
}
