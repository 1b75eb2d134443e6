import { Refusal, refuseInvalid } from '../errors.ts'
import { fileNotFound } from './service.ts'

/** What became of each id of a batch. */
export interface BatchOutcome<Done> {
  done: Done[]
  failed: { id: string; message: string }[]
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

/**
 * Does `work` for each id on its own; a refusal of one leaves the others alone.
 *
 * @throws {Refusal} `not_found` when none of the ids exist.
 */
export async function forEachId<Done>(
  ids: readonly string[],
  work: (id: string) => Promise<Done>,
): Promise<BatchOutcome<Done>> {
  const outcome: BatchOutcome<Done> = { done: [], failed: [] }
  let anyFound = false
  for (const id of ids) {
    try {
      outcome.done.push(await work(id))
      anyFound = true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      anyFound ||= error.reason !== 'not_found'
      outcome.failed.push({ id, message: error.message })
    }
  }
  if (!anyFound) throw fileNotFound()
  return outcome
}
