const KiB = 1024
const UNITS: Record<string, number> = { b: 1, kb: KiB, mb: KiB ** 2, gb: KiB ** 3, tb: KiB ** 4 }

/** Parses a whole number of bytes. Units are powers of 1024, in upper or lower case. */
export function parseBytes(given: string): number | undefined {
  const [, digits, unit] = /^(\d{1,16})\s*([kmgt]?b)?$/i.exec(given) ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS[(unit ?? 'b').toLowerCase()] ?? 1)
}
