/** Malformed archive. The message is for the client. */
export class ZipError extends Error {
  override name = 'ZipError'
}

/** Archive that unpacks to more than allowed. A class of its own, because its status is 413 instead of 400. */
export class ZipTooLargeError extends ZipError {
  override name = 'ZipTooLargeError'
}

/** Returns a `ZipError` about the archive; `state` completes the sentence and has no final period. */
export const malformedArchive = (state: string) => new ZipError(`Cannot read ZIP archive: ${state}`)

const MAX_SHOWN_CHARACTERS = 100

/** Returns a `ZipError` about the entry at `path`. */
export const malformedEntry = (path: string, state: string) =>
  malformedArchive(`the entry ${JSON.stringify(path.slice(0, MAX_SHOWN_CHARACTERS))} ${state}`)
