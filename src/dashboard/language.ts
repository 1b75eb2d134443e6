/**
 * Language of the page. The server chooses it with the index, and names the script of the language there, which runs
 * before this code. English needs no script.
 */

declare global {
  /** Language that the page's script brings; missing for English. */
  var holdfastLanguage: { tag: string; texts: Readonly<Record<string, object>> } | undefined
}

/** Replaces texts by those of the page's language, in place. `name` is the name of their constant. */
export const inLanguage = <Texts extends object>(name: string, english: Texts): Texts =>
  Object.assign(english, globalThis.holdfastLanguage?.texts[name])

/** Language of the page, as a BCP 47 tag. */
export const language = globalThis.holdfastLanguage?.tag ?? 'en'

const primaryOf = (tag: string) => tag.split('-')[0]

/** Language of the page in the region of the browser, such as `en-GB`. */
export const locale =
  globalThis.navigator?.languages?.find((tag) => primaryOf(tag) === primaryOf(language)) ?? language

const number = new Intl.NumberFormat(locale)
const plural = new Intl.PluralRules(locale)
const list = new Intl.ListFormat(locale, { type: 'conjunction' })

export const formatNumber = (value: number): string => number.format(value)

/** Noun in the forms that it has after a number. */
export interface Noun {
  one: string
  other: string
}

/** Returns a count with its noun in singular or plural. */
export const formatCount = (count: number, { one, other }: Noun): string =>
  `${formatNumber(count)} ${plural.select(count) === 'one' ? one : other}`

/** Returns parts of a sentence as `a, b, and c`. */
export const formatList = (parts: readonly string[]): string => list.format(parts)
