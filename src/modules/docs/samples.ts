import { curl } from './curl.ts'
import { python } from './python.ts'
import { askOf, type Call } from './request.ts'
import { typescript } from './typescript.ts'

/** Sample in one language. */
export interface Sample {
  language: keyof typeof LANGUAGES
  label: string
  code: string
}

/** Languages of samples. */
const LANGUAGES = {
  sh: ['curl', curl],
  ts: ['TypeScript', typescript],
  python: ['Python', python],
} as const

/** Returns the samples of an operation, from the examples of its schemas. */
export function samplesOf(call: Call, address: string): Sample[] {
  const ask = askOf(call, address)
  return (['sh', 'ts', 'python'] as const).map((language) => {
    const [label, write] = LANGUAGES[language]
    return { language, label, code: write(ask, address) }
  })
}
