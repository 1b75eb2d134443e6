import type { Context } from '../../access/context.ts'
import { isForbidden, Refusal, refuseInvalid } from '../../platform/errors.ts'
import { fileNotFound } from './service.ts'

/** What became of each id of a batch. */
export interface BatchOutcome<Done> {
  done: Done[]
  failed: { id: string; message: string }[]
  /** The refusal of the first of them. */
  refusal?: Refusal
}

/**
 * The ids of a batch, each once.
 *
 * @throws {Refusal} `invalid` when they are more than `max`.
 */
export function distinctIds(ids: readonly string[], max: number): string[] {
  const distinct = [...new Set(ids)]
  if (distinct.length > max) throw refuseInvalid(`"ids" must have at most ${max} ids`)
  return distinct
}

interface BatchWork<Done> {
  /** Throws a refusal once the caller may not go on; called before each id, because a batch may take long. */
  authorize: () => void
  work: (id: string) => Promise<Done>
}

/**
 * Does `work` for each id on its own; a refusal of one leaves the others alone. A caller that loses its rights
 * in the middle ends the batch: the ids that are left have failed.
 *
 * @throws {Refusal} `not_found` when none of the ids exist; `unauthorized` or `forbidden` before the first id.
 */
export async function forEachId<Done>(
  { log }: Pick<Context, 'log'>,
  ids: readonly string[],
  { authorize, work }: BatchWork<Done>,
): Promise<BatchOutcome<Done>> {
  const outcome: BatchOutcome<Done> = { done: [], failed: [] }
  let anyFound = false
  for (const [index, id] of ids.entries()) {
    try {
      authorize()
      outcome.done.push(await work(id))
      anyFound = true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (isForbidden(error)) {
        if (index === 0) throw error
        outcome.failed.push(...ids.slice(index).map((id) => ({ id, message: error.message })))
        return outcome
      }
      anyFound ||= error.reason !== 'not_found'
      outcome.failed.push({ id, message: error.message })
      outcome.refusal ??= error
      // A single one is logged with its request.
      if (ids.length > 1 && error.cause !== undefined) log.error(error.message, error.cause)
    }
  }
  if (!anyFound) throw fileNotFound()
  return outcome
}
