import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import type { Visibility } from '../../platform/config.ts'
import { isForbidden, messageFor, refuseInvalid } from '../../platform/errors.ts'
import type { Staging } from '../../store/bytes.ts'
import { passOn } from '../../store/bytes.ts'
import type { Published, Upload } from '../../store/publish.ts'
import { UnknownOutcome } from '../../store/rows.ts'
import { describeNames, entryOf, recordActivity } from '../activity/service.ts'

/** Files that a caller sends, in a form or in an archive. */
interface Reception {
  caller: Caller
  /** What was sent, once the body has been read to its end; nothing before. */
  names: () => string[]
  /** Says what went wrong in terms of the request. */
  toRefusal: (error: unknown) => unknown
  /** Whether a body that was cut short may be continued: then that is no cancellation. */
  canGoOn?: boolean
}

/**
 * Runs `receive` and records in the caller's history if it failed. A body cut short by the client is a
 * cancellation.
 */
export async function recordFailure<Answer>(
  deps: Context,
  { caller, names, toRefusal, canGoOn = false }: Reception,
  receive: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await receive()
  } catch (failure) {
    const isCut = isAbort(failure)
    if (isCut && canGoOn) throw toRefusal(failure)
    const error = isCut ? refuseInvalid('The upload was canceled') : toRefusal(failure)
    if (isForbidden(error)) throw error
    await recordActivity(deps, {
      userId: caller.user.id,
      type: isCut ? 'upload.canceled' : 'upload.failed',
      target: describeNames(names()).target,
      detail: isCut ? null : messageFor(error),
    }).catch((unrecorded) => deps.log.error('A failed upload could not be recorded', unrecorded))
    throw error
  }
}

export const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/**
 * Runs `use` with staging of its own, which is gone in the end, unless what became of it is not known.
 *
 * @param bytes How much is about to be written, as far as that is known.
 * @throws {Refusal} `no_space` when the volume has no room for that.
 */
export async function withStaging<Answer>(
  { store, random, log }: Pick<Context, 'store' | 'random' | 'log'>,
  bytes: number,
  use: (staging: Staging) => Promise<Answer>,
): Promise<Answer> {
  store.assertRoom(bytes)
  const staging = await store.stage(random.id())
  let isKept = false
  try {
    return await use(staging)
  } catch (error) {
    // The next start needs the staged names: they tell an upload that is unfinished from one that is not.
    isKept = error instanceof UnknownOutcome
    throw error
  } finally {
    // What became of the upload is settled by now: a leftover here must not turn it into a failure.
    if (!isKept)
      await staging
        .discard()
        .catch((error) => log.error('Staged files could not be removed; the next start tries again', error))
  }
}

/** What holds for each file of one upload while it is received. */
export const receiveLimits = ({ store }: Pick<Context, 'store'>) => ({
  maxBytes: store.settings.current().maxUploadBytes,
  claim: store.createClaim(),
})

/** What a caller has sent, all of it in staging. */
interface ReceivedFiles extends Pick<Upload, 'folders' | 'files'> {
  /** The files as the caller's history names them. */
  names: readonly string[]
  /** The instance's default when there is none. */
  visibility: Visibility | undefined
}

/**
 * Makes what was received exist, all of it or none, and records that in the caller's history.
 *
 * @throws {Refusal} `unauthorized` or `forbidden` when the caller may not upload any more, `invalid`,
 *   `conflict`.
 */
export async function publishReceived(
  deps: Context,
  caller: Caller,
  { names, visibility, ...received }: ReceivedFiles,
): Promise<Published> {
  // A body may take longer to arrive than its caller's credential lasts. A caller that may not upload any more
  // does not learn of conflicts; the second check is part of the transaction, because publishing takes time, too.
  assertStillAllowed(deps, caller, 'files:write')
  const userId = caller.user.id
  return deps.store.publishUpload({
    ...received,
    uploadedBy: userId,
    decide: () => {
      assertStillAllowed(deps, caller, 'files:write')
      return {
        visibility: visibility ?? deps.store.settings.current().defaultVisibility,
        activity: entryOf(deps, { userId, type: 'upload.succeeded', ...describeNames(names) }),
      }
    },
  })
}

/** The length that a request announces, in bytes; 0 when it announces none. */
export const declaredLength = ({ headers }: Request) => Number(headers.get('content-length') ?? 0)

/** A request's body as it arrives. */
export async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  for await (const chunk of body ?? []) yield passOn(chunk)
}
