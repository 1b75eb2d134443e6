/** Returns the different values of the cookies of one name that a client sends (RFC 6265 §5.4). */
export function cookieValues(header: string | null, name: string): Set<string> {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  const encoded = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return new Set(encoded.map(decoded))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
