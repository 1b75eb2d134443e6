import { createClient, HoldfastError } from '../../client/index.ts'
import { formatBytes, withMarks } from '../lib/format.ts'
import { createStore } from '../lib/store.ts'
import { texts } from '../texts.ts'

/** Answer to the question for a confirmation of the session: true once it is confirmed. */
export const confirmation = createStore<((isConfirmed: boolean) => void) | undefined>(undefined)

let confirming: Promise<boolean> | undefined

/** Asks for a confirmation, once for all requests that wait for it. */
function askToConfirm(): Promise<boolean> {
  confirming ??= new Promise<boolean>((answer) => confirmation.set(() => answer)).finally(() => {
    confirming = undefined
    confirmation.set(() => undefined)
  })
  return confirming
}

/** Sends a request, and again after a confirmation when the server wants one. */
async function send(...[address, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(address, init)
  const isAsked = response.status === 403 && response.headers.get('error-code') === 'confirmation-required'
  return isAsked && (await askToConfirm()) ? fetch(address, init) : response
}

/** The public API, through the client that programs outside use. */
export const client = createClient({ url: location.origin, fetch: send })

/** Seconds to wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5

/** Returns the seconds until a request that was refused with 429 can be repeated; 0 for any other error. */
export const waitOf = (error: unknown): number =>
  error instanceof HoldfastError && error.status === 429 ? error.retryAfterSeconds || DEFAULT_WAIT_SECONDS : 0

/** True for a response with one of these statuses; 0 stands for no response. */
export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is HoldfastError =>
  error instanceof HoldfastError && statuses.includes(error.status)

const { errors } = texts
/** Sentences of the server, with those of the dashboard. Histories and batches have no codes beside them. */
const SENTENCES: readonly [RegExp, (part: string) => string][] = [
  [/^(?:File|Folder) not found$/, () => errors.gone],
  [/maximum upload size of (\d+) bytes/, (bytes) => errors.tooLarge(formatBytes(Number(bytes)))],
  [
    /^(?:A file|A folder|Something) named "(.*)" exists in this folder already$/s,
    (name) => errors.names.taken(withMarks(name)),
  ],
  [/^(?:"name"|A folder name) must .*control/s, () => errors.names.signs],
  [/^(?:"name"|A folder name) must .*"\.\."/s, () => errors.names.dots],
  [/^(?:"name"|A folder name) must .*bytes/s, () => errors.names.long],
  [/^Internal server error$/, () => errors.unexpected],
  [/^Not enough free space on the volume$/, () => errors.full],
  [/^An account has at most (\d+) favorites/, errors.manyFavorites],
  [/^The upload was interrupted$/, () => texts.uploads.interrupted],
  [/^".*" is one of the most common passwords/, () => errors.commonPassword],
  [/: (E[A-Z0-9]+)$/, errors.disk],
]

/** Returns the message for an error, in the words of the dashboard. */
export function explain(error: unknown): string {
  if (!(error instanceof HoldfastError)) return errors.unexpected
  if (error.code === 'unreachable') return errors.unreachable
  if (error.status === 429) return errors.tooMany(waitOf(error))
  if (error.code === 'invalid-email-or-password') return texts.signIn.wrong
  if (error.code === 'account-disabled') return texts.signIn.disabled
  if (error.code === 'invalid-origin') return errors.origin(location.origin)
  if (error.code === 'unauthorized') return errors.signedOut
  if (error.code === 'scope-missing') return errors.forbidden
  return inWords(error.message)
}

/** Returns a message of the server in the words of the dashboard, as far as it has some. */
export function inWords(message: string): string {
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(message)
    if (found) return say(found[1] ?? '')
  }
  return message
}
