const KiB = 1024
const UNITS: Record<string, number> = { b: 1, kb: KiB, mb: KiB ** 2, gb: KiB ** 3, tb: KiB ** 4 }

/** Parses a whole number of bytes. Units are powers of 1024, in upper or lower case. */
export function parseBytes(given: string): number | undefined {
  const [, digits, unit] = /^(\d{1,16})\s*([kmgt]?b)?$/i.exec(given) ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS[(unit ?? 'b').toLowerCase()] ?? 1)
}

/**
 * Returns a number of bytes with at most one decimal and the unit that fits: `1.5 GB`. Units are powers of 1024.
 *
 * @param round Rounds the last digit.
 */
export function formatBytes(bytes: number, round: (value: number) => number = Math.round): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KiB)), units.length - 1)
  return `${round((bytes / KiB ** step) * 10) / 10} ${units[step]}`
}
