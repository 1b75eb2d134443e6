/** Languages of the dashboard and of the pages for visitors: BCP 47 tags, with the names that their speakers use. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  'zh-CN': '简体中文',
} as const

export type Language = keyof typeof LANGUAGES

/** Cookie with the language that an account has chosen. Scripts of the dashboard set it, so it is no secret. */
export const LANGUAGE_COOKIE = 'holdfast-language'

/** True for the tag of a language, in exactly this spelling. */
export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag)

export const LANGUAGE_TAGS = Object.keys(LANGUAGES).filter(isLanguage)

/** Tags of traditional Chinese, for which the simplified script is no substitute. */
const TRADITIONAL = /^zh-(hant|tw|hk|mo)\b/i

const primaryOf = (tag: string) => tag.split('-')[0]?.toLowerCase()

/** Returns the language for a tag: the same one, else one for another region. */
function languageFor(tag: string): Language | undefined {
  if (TRADITIONAL.test(tag)) return undefined
  return LANGUAGE_TAGS.find((known) => primaryOf(known) === primaryOf(tag))
}

/** Returns the language of a page: the one that its browser was told to use, else the first that it accepts. */
export function languageOf(headers: Headers): Language {
  const cookies = headers.get('cookie')?.split(/;\s*/) ?? []
  const chosen = LANGUAGE_TAGS.find((tag) => cookies.includes(`${LANGUAGE_COOKIE}=${tag}`))
  return chosen ?? acceptedLanguage(headers.get('accept-language') ?? '')
}

/** Returns the language with the highest weight in `Accept-Language` (RFC 9110 §12.5.4); English for none. */
function acceptedLanguage(header: string): Language {
  const accepted = header.split(',').map((item) => {
    const [tag = '', weight] = item.trim().split(/\s*;\s*q=/i)
    return { language: languageFor(tag), weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const known = accepted.filter(({ language, weight }) => language !== undefined && weight > 0)
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? 'en'
}

/** Request headers on which the language of a page depends (RFC 9110 §12.5.5). */
export const LANGUAGE_VARY = 'Accept-Language, Cookie'
