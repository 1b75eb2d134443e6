/** An archive that cannot be read as one. The message is fit for the client. */
export class ZipError extends Error {
  override name = 'ZipError'
}

/** An archive that unpacks to more than its reader allows. A class of its own because it asks for 413, not 400. */
export class ZipTooLargeError extends ZipError {
  override name = 'ZipTooLargeError'
}

/** A `ZipError` about the archive; `state` completes the sentence and has no final period. */
export const malformedArchive = (state: string) => new ZipError(`Cannot read ZIP archive: ${state}`)

const MAX_SHOWN_CHARACTERS = 100

/** A `ZipError` about the entry at `path`. */
export const malformedEntry = (path: string, state: string) =>
  malformedArchive(`the entry ${JSON.stringify(path.slice(0, MAX_SHOWN_CHARACTERS))} ${state}`)
