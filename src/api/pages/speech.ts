/** Noun in the forms that it has after a number. */
export interface Noun {
  one: string
  other: string
}

/** Ways of a language to say numbers, counts, sizes and times. */
export interface Speech {
  number: (value: number) => string
  /** Returns a count with its noun in singular or plural. */
  count: (amount: number, noun: Noun) => string
  /** Returns a size in the largest fitting unit, in powers of 1024. */
  bytes: (size: number) => string
  /** Returns the time of day in UTC, in milliseconds since 1970. */
  clock: (time: number) => string
}

const PREFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti']

/** @param byte Unit of one byte: `o` in French. */
export function speechOf(language: string, byte: string): Speech {
  const numbers = new Intl.NumberFormat(language)
  const sizes = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const plurals = new Intl.PluralRules(language)
  const times = new Intl.DateTimeFormat(language, {
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  })
  return {
    number: (value) => numbers.format(value),
    count: (amount, { one, other }) =>
      `${numbers.format(amount)} ${plurals.select(amount) === 'one' ? one : other}`,
    bytes: (size) => {
      const power = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), PREFIXES.length - 1)
      return `${sizes.format(size / 1024 ** power)} ${PREFIXES[power]}${byte}`
    },
    clock: (time) => times.format(time),
  }
}
