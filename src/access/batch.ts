import { isForbidden, Refusal, refuseInvalid } from '../platform/errors.ts'
import type { Steps } from '../store/rows.ts'
import { fileNotFound } from '../views/files.ts'
import type { Context } from './context.ts'

/** Outcome for each id of a batch. */
export interface BatchOutcome<Done> {
  done: Done[]
  failed: { id: string; message: string }[]
  /** Refusal of the first failed id. */
  refusal?: Refusal
}

/**
 * Returns the ids of a batch, each once.
 *
 * @param fields Fields of the request that hold them, for the refusal.
 * @throws {Refusal} `invalid` when there are more than `max`.
 */
export function distinctIds(ids: readonly string[], max: number, fields = '"ids"'): string[] {
  const distinct = [...new Set(ids)]
  if (distinct.length > max) throw refuseInvalid(`${fields} must have at most ${max} ids`)
  return distinct
}

/** Files and folders of one request. */
export interface Items {
  fileIds?: readonly string[] | undefined
  folderIds?: readonly string[] | undefined
}

/** Distinct ids of files and folders, and which of them are folders. */
export interface Selected {
  ids: readonly string[]
  folders: ReadonlySet<string>
}

/** Maximum items of one request that moves, changes or removes them: what a server does in seconds. */
export const MAX_ITEMS = 5000

/** @throws {Refusal} `invalid` when there are more than `max`, or none. */
export function selected({ fileIds = [], folderIds = [] }: Items, max = MAX_ITEMS): Selected {
  const ids = distinctIds([...fileIds, ...folderIds], max, '"fileIds" and "folderIds" together')
  if (ids.length === 0) throw refuseInvalid('"fileIds" or "folderIds" is required')
  return { ids, folders: new Set(folderIds) }
}

interface BatchWork<Done> {
  /**
   * Throws a refusal once the caller loses its rights; called before each id, because a batch may take long.
   */
  authorize: () => Steps<void>
  work: (id: string) => Promise<Done>
  /** Refusal when none of the ids exist. */
  notFound?: () => Refusal
}

/**
 * Runs `work` for each id separately; a refusal of one does not affect the others. A caller that loses its
 * rights ends the batch, and the remaining ids fail.
 *
 * @throws {Refusal} `not-found` when none of the ids exist; `unauthorized` or `forbidden` before the first
 *   id.
 */
export async function forEachId<Done>(
  { store, log }: Pick<Context, 'store' | 'log'>,
  ids: readonly string[],
  { authorize, work, notFound = fileNotFound }: BatchWork<Done>,
): Promise<BatchOutcome<Done>> {
  const outcome: BatchOutcome<Done> = { done: [], failed: [] }
  let anyFound = false
  for (const [index, id] of ids.entries()) {
    try {
      await store.read(authorize)
      outcome.done.push(await work(id))
      anyFound = true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (isForbidden(error)) {
        if (index === 0) throw error
        outcome.failed.push(...ids.slice(index).map((id) => ({ id, message: error.message })))
        return outcome
      }
      anyFound ||= error.status !== 404
      outcome.failed.push({ id, message: error.message })
      outcome.refusal ??= error
      // The failure of a single id is logged with its request.
      if (ids.length > 1 && error.cause !== undefined) log.error(error.message, error.cause)
    }
  }
  if (!anyFound) throw notFound()
  return outcome
}
