import { Refusal, StartError } from '../platform/errors.ts'

/** Returns an error in words for the operator: the reason of an object store, not the words for its clients. */
export function asStartError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { cause, message } = error
  return new StartError(cause instanceof Error ? cause.message : message, { cause: error })
}
