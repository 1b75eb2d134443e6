const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Returns a size in bytes with a unit, such as `1.5 MiB`. */
export function readableBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  const amount = bytes / 1024 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`
}

/** Returns a number of things, such as `1 file` or `2 files`. */
export const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`

const LENGTHS: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Returns a time in seconds in its largest whole unit, such as `7 days`. */
export function readableTime(seconds: number): string {
  const [thing, length] = LENGTHS.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  return count(seconds / length, thing)
}
