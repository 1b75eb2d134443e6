import { MultipartError } from './error.ts'
import { parseParameters } from './header.ts'

// RFC 2046 §5.1.1 allows 1 to 70 characters, the last not a space. Some senders use the other characters that HTTP
// allows without quotes, so they are accepted as well.
const BOUNDARY = /^[!#$%&'()*+,./:=?@^_`|~0-9A-Za-z -]{0,69}[!#$%&'()*+,./:=?@^_`|~0-9A-Za-z-]$/

/**
 * Parses the boundary in a request's Content-Type header.
 *
 * @param contentType The header's value, or `null` when the request has none.
 * @returns The boundary without its leading dashes, 1 to 70 ASCII characters.
 * @throws {MultipartError} If the type is not multipart/form-data, in any case, with one valid boundary.
 */
export function multipartBoundary(contentType: string | null): string {
  const [type = ''] = (contentType ?? '').split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data') {
    throw new MultipartError('Cannot read request body: Content-Type is not multipart/form-data')
  }
  const boundary = parseParameters(contentType ?? '')?.parameters.get('boundary')
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new MultipartError('Cannot read multipart body: Content-Type has no valid boundary')
  }
  return boundary
}
