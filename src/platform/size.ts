const KiB = 1024
/** Letters of the units, by the power of 1024. */
const POWERS = ['', 'k', 'm', 'g', 't']

/** Parses a whole number of bytes. `GiB`, `gib` and `gb` mean the same: units are powers of 1024. */
export function parseBytes(given: string): number | undefined {
  const [, digits, unit] = /^(\d{1,16})\s*(?:(?:([kmgt])i?)?b)?$/i.exec(given) ?? []
  return digits === undefined ? undefined : Number(digits) * KiB ** POWERS.indexOf((unit ?? '').toLowerCase())
}

/**
 * Returns a number of bytes with at most one decimal and the unit that fits: `1.5 GiB`.
 *
 * @param round Rounds the last digit.
 */
export function formatBytes(bytes: number, round: (value: number) => number = Math.round): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KiB)), units.length - 1)
  return `${round((bytes / KiB ** step) * 10) / 10} ${units[step]}`
}
