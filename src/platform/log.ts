import type { Clock } from './clock.ts'
import type { Config } from './config.ts'

/** What belongs to a line of the log, by name. Never a secret: no query, no header, no body. */
export type LogFields = Readonly<Record<string, string | number>>

export interface Log {
  info: (message: string, fields?: LogFields) => void
  /** `error` is for the operator only; no client sees it. */
  error: (message: string, error: unknown, fields?: LogFields) => void
  /** Missing when nobody wants to know that much. */
  debug?: (message: string, fields: LogFields) => void
}

/** Lines for people, as commands and a server without `LOG_FORMAT=json` print them. */
export const textLog: Log = {
  info: (message, fields) => console.log(`${message}${inWords(fields)}`),
  error: (message, error, fields) => console.error(`${message}${inWords(fields)}:`, withoutParameters(error)),
}

const inWords = (fields: LogFields = {}): string =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${value}`)
    .join('')

/** The server's log, in the form and as much of it as the configuration says. */
export async function createLog(
  { logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>,
  clock: Clock,
): Promise<Log> {
  const log = logFormat === 'json' ? await jsonLog(clock) : textLog
  const debug: Log['debug'] =
    logFormat === 'json'
      ? log.debug
      : (message, fields) => console.log(`${message} ${Object.values(fields).join(' ')}`)
  return {
    info: logLevel === 'error' ? () => {} : log.info,
    error: log.error,
    ...(logLevel === 'debug' && debug && { debug }),
  }
}

/** One JSON object a line on the standard output, by pino. */
async function jsonLog(clock: Clock): Promise<Log> {
  const { pino } = await import('pino')
  const options = {
    level: 'debug',
    base: null,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
  }
  // Written at once: the last lines before an end are those that matter.
  const log = pino(options, pino.destination({ dest: 1, sync: true }))
  return {
    info: (message, fields) => log.info(fields ?? {}, message),
    error: (message, error, fields) => log.error({ ...fields, err: withoutParameters(error) }, message),
    debug: (message, fields) => log.debug(fields, message),
  }
}

/** What a failed query was asked with may be a secret's hash: only why it failed is told. */
function withoutParameters(error: unknown): unknown {
  return error instanceof Error && 'params' in error ? (error.cause ?? error.name) : error
}
