/** A multipart/form-data request that cannot be read as one. The message is fit for the client. */
export class MultipartError extends Error {
  override name = 'MultipartError'
}

/** A body with more parts than the caller allows. A class of its own because it asks for 413, not 400. */
export class TooManyPartsError extends MultipartError {
  override name = 'TooManyPartsError'
}

/** A `MultipartError` about the body; `state` completes the sentence and has no final period. */
export function malformedBody(state: string): MultipartError {
  return new MultipartError(`Cannot read multipart body: ${state}`)
}
