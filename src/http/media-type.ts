import mime from 'mime'

const UNKNOWN = 'application/octet-stream'

/**
 * The media type of a file, told from its name alone and without a charset.
 *
 * The extension is what follows the last dot, in any case; a name without a dot has none, so that a file
 * called `html` is not taken for a page.
 */
export const mediaType = (name: string): string => (name.includes('.') && mime.getType(name)) || UNKNOWN
