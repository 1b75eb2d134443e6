import mime from 'mime'

const UNKNOWN = 'application/octet-stream'

/**
 * Returns the media type for the name of a file, without a charset.
 *
 * The extension follows the last dot and is case-insensitive. A name without a dot has none: a file called `html` is no
 * page.
 */
export const mediaType = (name: string): string => (name.includes('.') && mime.getType(name)) || UNKNOWN
