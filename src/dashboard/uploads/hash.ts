/**
 * Returns a file's SHA-256 in hexadecimal; undefined if the browser cannot read it. The browser's own digest is
 * missing in pages without TLS, and needs the whole file in memory.
 */
export async function hashFile(file: File): Promise<string | undefined> {
  const { sha256 } = await import('@noble/hashes/sha2.js')
  const hash = sha256.create()
  try {
    for await (const chunk of file.stream()) hash.update(chunk)
  } catch {
    // A folder, or a file that was deleted meanwhile. Its upload reports it.
    return undefined
  }
  return hash.digest().toHex()
}
