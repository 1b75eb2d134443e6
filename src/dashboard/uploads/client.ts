import { createClient, HoldfastError } from '../../client/index.ts'
import { ApiError } from '../api/client.ts'

/** Sends files with their exact names, which a browser's own form does not: it escapes quotes in them. */
export const client = createClient({ url: location.origin })

/** Maps the client's errors to the one kind that the dashboard has. */
export async function withApiErrors<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    throw new ApiError(error.status, error.message, String(error.retryAfterSeconds))
  }
}
