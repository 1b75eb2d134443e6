import type { Config } from '../../platform/config.ts'
import { type Language, languageOf } from '../../platform/languages.ts'
import { german } from './de.ts'
import { english, type PageTexts } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { brazilian } from './pt-BR.ts'
import { type Speech, speechOf } from './speech.ts'
import { chinese } from './zh-CN.ts'

/** Words of the pages for visitors, in one language. */
export interface Words extends PageTexts, Speech {
  language: Language
  /** Unit of a byte. */
  byte: string
  refusals: PageTexts['refusals'] & { 'quota-exceeded': string }
}

const LANGUAGES: Record<Language, { texts: (speech: Speech) => PageTexts; byte?: string }> = {
  en: { texts: english },
  de: { texts: german },
  fr: { texts: french, byte: 'o' },
  es: { texts: spanish },
  'pt-BR': { texts: brazilian },
  'zh-CN': { texts: chinese },
}

const known = new Map<Language, Words>()

/** Returns the words of a language, made when they are first needed. */
export function wordsIn(language: Language): Words {
  const made = known.get(language)
  if (made) return made
  const { texts, byte = 'B' } = LANGUAGES[language]
  const speech = speechOf(language, byte)
  const said = texts(speech)
  const refusals = { ...said.refusals, 'quota-exceeded': said.refusals['no-space'] }
  const words = { language, byte, ...speech, ...said, refusals }
  known.set(language, words)
  return words
}

/** Words of a page, and what it shows of the instance. */
export interface PageWords extends Words {
  instance: Pick<Config, 'instanceName' | 'instanceLogo'>
}

/** Returns the words for the sender of a request. */
export const wordsFor = (
  { config }: { config: PageWords['instance'] },
  { headers }: Pick<Request, 'headers'>,
): PageWords => ({ ...wordsIn(languageOf(headers)), instance: config })
