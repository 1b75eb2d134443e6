import { assertStillAllowed, type Caller } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import { entryOf, recordOutcome } from '../access/history.ts'
import type { Visibility } from '../platform/config.ts'
import { isForbidden, isRefused, messageFor, Refusal, refuseInvalid } from '../platform/errors.ts'
import { describeNames, joinKey, segmentsOf } from '../platform/names.ts'
import { passOn, type Staging } from '../store/bytes.ts'
import {
  type FileRow,
  type NewFile,
  type Steps,
  type Terms,
  UnknownOutcome,
  type WebhookEvent,
  type Work,
} from '../store/rows.ts'
import { type Located, refuseRight } from '../store/tree.ts'
import type { NewBytes, Published, Replacement, Upload } from '../store/upload.ts'
import { eventFiles, eventOf } from '../views/events.ts'
import { keyOfFile } from '../views/files.ts'

/** Files that a caller sends, in a form or in an archive. */
interface Reception {
  caller: Caller
  /** Returns the names once the body has been read completely; none before. */
  names: () => string[]
  /** Converts an error to a refusal in terms of the request. */
  toRefusal?: (error: unknown) => unknown
  /** True if an interrupted body may be continued: then an interruption is no cancellation. */
  canGoOn?: boolean
}

/**
 * Runs `receive` and records its failure in the caller's history. A body that the client cuts short is a
 * cancellation.
 */
export async function recordFailure<Answer>(
  deps: TreeContext,
  { caller, names, toRefusal = (error) => error, canGoOn = false }: Reception,
  receive: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await receive()
  } catch (failure) {
    const isCut = isAbort(failure)
    if (isCut && canGoOn) throw toRefusal(failure)
    const error = isCut ? refuseInvalid('The upload was canceled') : toRefusal(failure)
    if (isForbidden(error)) throw error
    await recordOutcome(deps, {
      userId: caller.user.id,
      type: isCut ? 'upload.canceled' : 'upload.failed',
      target: describeNames(names()).target,
      detail: isCut ? null : messageFor(error),
    })
    throw error
  }
}

export const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

/**
 * Runs `use` with a staging folder, which is removed at the end unless the outcome is unknown.
 *
 * @param bytes Number of bytes to write, as far as known.
 * @throws {Refusal} `no-space` when the volume has no room for them.
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
    // Recovery needs the staged names: they show if an upload was committed.
    isKept = error instanceof UnknownOutcome
    throw error
  } finally {
    // The outcome of the upload is final, so a leftover here must not turn it into a failure.
    if (!isKept)
      await staging
        .discard()
        .catch((error) => log.error('Staged files could not be removed; the next start tries again', error))
  }
}

/** Returns the limits of each file of one upload. */
export const receiveLimits = ({ store }: Pick<Context, 'store'>) => ({
  maxBytes: store.settings.current().maxUploadBytes,
  claim: store.createClaim(),
})

/** Staged file with its target. */
export type ReceivedFile = Upload['files'][number] & {
  /** Name in the caller's history. */
  label: string
}

/** Files that a caller has sent, all of them staged. */
export interface ReceivedFiles extends Pick<Upload, 'folders'> {
  files: readonly ReceivedFile[]
  /** Requested visibility; `undefined` for the instance's default. */
  visibility: Visibility | undefined
  /** Returns more of the transaction that publishes the only file. @throws {Refusal} */
  also?: (file: Pick<FileRow, 'id' | 'folderId'>) => Steps<Also>
}

/** Rest of a publication: the resumable upload that it was, and further rows. */
export type Also = Pick<Terms, 'resumable' | 'alongside'>

/**
 * Returns the folder that receives files, by its names from the root. A caller that does not reach everything may leave it
 * out when it may write in one folder alone, and is refused before its bytes are sent.
 *
 * @throws {Refusal} `not-found`, `right-missing`, `conflict` when a file is in the place of a folder.
 */
export async function receivingFolder(
  { store }: Pick<TreeContext, 'store'>,
  named: string[],
  visibility: Visibility | undefined,
): Promise<string[]> {
  if (store.reach.isEverything) return named
  const folder = named.length > 0 ? named : await onlyFolder(store)
  await store.assertDestination({ folder }, visibility)
  return folder
}

async function onlyFolder(store: TreeContext['store']): Promise<string[]> {
  const [entry, another] = await store.entries('write')
  if (!entry) throw refuseRight('write')
  if (another) throw new Refusal('right-missing', 'Name a folder')
  return segmentsOf(entry.key)
}

/**
 * Publishes the received files, all of them or none, and records that in the caller's history.
 *
 * @throws {Refusal} `unauthorized` or `forbidden` when the caller lost the right to upload, `invalid`,
 *   `conflict`.
 */
export async function publishReceived(
  deps: TreeContext,
  caller: Caller,
  received: ReceivedFiles,
): Promise<Published> {
  const userId = caller.user.id
  const names = received.files.map(({ label }) => label)
  return whileAllowed(deps, caller, () =>
    deps.store.publishUpload({
      ...received,
      uploadedBy: userId,
      decide: function* (rows) {
        yield* assertStillAllowed(deps, caller, 'files:write')
        const { defaultVisibility } = yield* deps.store.settings.inTransaction()
        const keyOf = (row: NewFile, index: number) =>
          joinKey(received.files[index]?.folder.join('/') ?? '', row.name)
        return {
          ...(received.also && rows[0] && (yield* received.also(rows[0]))),
          visibility: received.visibility ?? defaultVisibility,
          activity: { type: 'upload.succeeded', ...describeNames(names) },
          event: yield* uploadEvent(deps, userId, { rows, keyOf }),
        }
      },
    }),
  )
}

/**
 * Runs the end of a request whose body may have taken longer to arrive than its caller's credential lasts. The transaction
 * checks the credential, because publishing takes time, too; what is refused before it is told only to a caller that still
 * has the right, because conflicts and preconditions show what exists.
 */
async function whileAllowed<Value>(
  deps: TreeContext,
  caller: Caller,
  publish: () => Promise<Value>,
): Promise<Value> {
  const check = () => deps.store.read(() => assertStillAllowed(deps, caller, 'files:write'))
  // The check renews what a caller reaches.
  if (!deps.store.reach.isEverything) await check()
  try {
    return await publish()
  } catch (error) {
    if (error instanceof Refusal) await check()
    throw error
  }
}

interface SentFiles {
  rows: readonly NewFile[]
  keyOf: (row: NewFile, index: number) => string
  replaced?: boolean
}

/** Builds the event of files that an account has sent, inside their transaction; `undefined` without a receiver. */
export function* uploadEvent(
  deps: TreeContext,
  userId: string,
  { rows, keyOf, replaced = false }: SentFiles,
): Work<WebhookEvent | undefined> {
  if (rows.length === 0 || !(yield* deps.store.webhooks.enabled())) return undefined
  return eventOf(deps, 'upload.completed', { userId, replaced, ...eventFiles(rows, keyOf) })
}

/** Returns false while something has the key of a new file. */
export async function isFree(
  { store }: Pick<TreeContext, 'store'>,
  file: { folder: readonly string[]; name: string },
): Promise<boolean> {
  try {
    await store.assertPublishable(file)
    return true
  } catch (error) {
    if (isRefused(error, 409)) return false
    throw error
  }
}

/** Returns the announced length of a request in bytes; 0 when there is none. */
export const declaredLength = ({ headers }: Pick<Request, 'headers'>) =>
  Number(headers.get('content-length') ?? 0)

/** Yields a request's body as it arrives. */
export async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  for await (const chunk of body ?? []) yield passOn(chunk)
}

/** Returns the last component of a sent file name, whichever slash its system uses. */
export const lastComponent = (filename: string) =>
  filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)

/** Bytes that replace those of a file, and terms of that. */
type By = NewBytes & {
  id: string
  admit?: Replacement['admit']
  visibility?: Replacement['visibility']
  /** Rest of the transaction, beside the entry of the history. */
  alongside?: () => Steps<void>
}

/** Replaces the bytes of a file, and records that in the caller's history. */
export async function replaceBy(
  deps: TreeContext,
  caller: Caller,
  { id, admit = () => {}, visibility, alongside, ...bytes }: By,
): Promise<Located<FileRow>> {
  const { store } = deps
  const userId = caller.user.id
  const { replaceFile } = store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return whileAllowed(deps, caller, () =>
    replaceFile(id, {
      ...bytes,
      uploadedBy: userId,
      admit,
      visibility,
      alongside: function* (row, size) {
        const entry = entryOf(deps, { userId, type: 'file.replaced', target: row.name, detail: null })
        yield* store.activities.insert(entry)
        const key = yield* keyOfFile(deps, row)
        const rows = [{ ...row, size }]
        const event = yield* uploadEvent(deps, userId, { rows, keyOf: () => key, replaced: true })
        if (event) yield* store.webhookDeliveries.announce(event)
        if (alongside) yield* alongside()
      },
    }),
  )
}
