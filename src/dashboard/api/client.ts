import { createClient, HoldfastError } from '../../client/index.ts'
import { formatBytes, withMarks } from '../lib/format.ts'
import { texts } from '../texts.ts'

/** The public API, through the client that programs outside use. */
export const client = createClient({ url: location.origin })

/** Seconds to wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5

/** Returns the seconds until a request that was refused with 429 can be repeated; 0 for any other error. */
export const waitOf = (error: unknown): number =>
  error instanceof HoldfastError && error.status === 429 ? error.retryAfterSeconds || DEFAULT_WAIT_SECONDS : 0

/** True for a response with one of these statuses; 0 stands for no response. */
export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is HoldfastError =>
  error instanceof HoldfastError && statuses.includes(error.status)

/** Messages of the server about names. */
const TAKEN = /^(?:A file|A folder|Something) named "(.*)" exists in this folder already$/s
const NAME_PROBLEM = /^(?:"name"|A folder name) must (.*)$/s

/** Returns the message for an error, in the words of the dashboard. */
export function explain(error: unknown): string {
  if (!(error instanceof HoldfastError)) return texts.errors.unexpected
  if (error.code === 'unreachable') return texts.errors.unreachable
  if (error.status === 429) return texts.errors.tooMany(waitOf(error))
  if (error.code === 'invalid-email-or-password') return texts.signIn.wrong
  if (error.code === 'account-disabled') return texts.signIn.disabled
  if (error.code === 'invalid-origin') return texts.errors.origin(location.origin)
  if (error.code === 'unauthorized') return texts.errors.signedOut
  if (error.code === 'scope-missing') return texts.errors.forbidden
  // A failing disk is a 500 as well, but its message names the file and the reason.
  if (error.code === 'internal-server-error') return texts.errors.unexpected
  return inWords(error.message)
}

/** Returns the message for a refusal of a file or folder, in the words of the dashboard. */
export function inWords(message: string): string {
  if (message === 'File not found' || message === 'Folder not found') return texts.errors.gone
  const [, maxBytes] = /maximum upload size of (\d+) bytes/.exec(message) ?? []
  if (maxBytes !== undefined) return texts.errors.tooLarge(formatBytes(Number(maxBytes)))
  const [, taken] = TAKEN.exec(message) ?? []
  if (taken !== undefined) return texts.errors.names.taken(withMarks(taken))
  const [, problem] = NAME_PROBLEM.exec(message) ?? []
  if (problem?.includes('control')) return texts.errors.names.signs
  if (problem?.includes('".."')) return texts.errors.names.dots
  if (problem?.includes('bytes')) return texts.errors.names.long
  return message
}
