import { LANGUAGE_COOKIE } from '../../platform/languages.ts'
import { language } from '../language.ts'

const YEAR_SECONDS = 31_536_000

/** Returns the cookie of the language as it is stored; undefined for none. */
const stored = () => document.cookie.split('; ').find((known) => known.startsWith(`${LANGUAGE_COOKIE}=`))

/**
 * Makes the browser ask for pages in a language from now on; in its own for undefined.
 *
 * @returns True when the page is in another language, and has to load again.
 */
export function chooseLanguage(chosen: string | undefined): boolean {
  const wanted = chosen && `${LANGUAGE_COOKIE}=${chosen}`
  if (stored() === wanted) return false
  const life = `Path=/; SameSite=Lax; Max-Age=${chosen ? YEAR_SECONDS : 0}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
  document.cookie = `${LANGUAGE_COOKIE}=${chosen ?? ''}; ${life}`
  // A browser that refuses the cookie would load the page again and again.
  return stored() === wanted && chosen !== language
}
