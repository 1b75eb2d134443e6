/**
 * Returns true when the percent-encoded bytes of a query or a form are UTF-8. The parser of URLs replaces others without a
 * word (URL standard §5.1). A percent sign on its own is text.
 */
export function isUtf8Encoded(text: string): boolean {
  for (const [bytes] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    try {
      decodeURIComponent(bytes)
    } catch {
      return false
    }
  }
  return true
}
