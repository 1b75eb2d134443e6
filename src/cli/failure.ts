import { HoldfastError } from '../client/error.ts'

/** Reason why a command failed, as a message for the user. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}

/** Arguments that contradict each other. */
export class UsageFailure extends Failure {
  override readonly name = 'UsageFailure'
}

/** Returns an error in one line; `undefined` for a bug, whose stack is more useful. */
export function explain(error: unknown): string | undefined {
  if (error instanceof Failure) return error.message
  if (error instanceof HoldfastError)
    return error.code === 'unauthorized'
      ? 'The API key is invalid, expired or deleted. Run "holdfast login <url>" with another one.'
      : error.message
  const isFromSystem = error instanceof Error && 'syscall' in error
  return isFromSystem ? error.message : undefined
}

export const messageOf = (error: unknown): string => explain(error) ?? String(error)
