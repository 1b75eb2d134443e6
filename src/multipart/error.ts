/** Malformed multipart/form-data request. The message is for the client. */
export class MultipartError extends Error {
  override name = 'MultipartError'
}

/** Body with more parts than allowed. A class of its own, because its status is 413 instead of 400. */
export class TooManyPartsError extends MultipartError {
  override name = 'TooManyPartsError'
}

/** Returns a `MultipartError` about the body; `state` completes the sentence and has no final period. */
export function malformedBody(state: string): MultipartError {
  return new MultipartError(`Cannot read multipart body: ${state}`)
}
