import { isCode, LANGUAGES, NAMED } from '../../../../../platform/kinds.ts'
import { extensionOf } from '../../../../lib/format.ts'

/** Ways to show a text. */
export interface Format {
  is: 'code' | 'text' | 'markdown' | 'table'
  /** Language of the highlighter. */
  language?: string
}

const BY_EXTENSION = new Map(
  Object.entries(LANGUAGES).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
)

/** Languages by the program that runs a script. */
const BY_PROGRAM: [program: RegExp, language: string][] = [
  [/\b(ba|z|k|da)?sh\b/, 'bash'],
  [/\bpython/, 'python'],
  [/\b(node|bun|deno)\b/, 'javascript'],
  [/\bruby\b/, 'ruby'],
  [/\bperl\b/, 'perl'],
  [/\bphp\b/, 'php'],
]

/** Returns the format of a text by its name, or by its first line if the name says nothing. */
export function formatOf(name: string, beginning: string): Format {
  const extension = extensionOf(name).toLowerCase()
  if (extension === 'csv' || extension === 'tsv') return { is: 'table' }
  const language = NAMED[name.toLowerCase()] ?? BY_EXTENSION.get(extension) ?? languageOfScript(beginning)
  // A log has lines that belong on one line each, as code does.
  if (extension === 'log') return { is: 'code' }
  if (language === 'markdown') return { is: 'markdown', language }
  if (language === undefined) return { is: isCode(name) ? 'code' : 'text' }
  return { is: 'code', language }
}

function languageOfScript(beginning: string): string | undefined {
  const [program] = /^#!.*/.exec(beginning) ?? []
  if (program !== undefined) return BY_PROGRAM.find(([pattern]) => pattern.test(program))?.[1]
  return beginning.startsWith('<?xml') ? 'xml' : undefined
}

/** Returns the language of a fenced code block by its info string; undefined for an unknown one. */
export function languageNamed(info: string): string | undefined {
  const name =
    info
      .trim()
      .toLowerCase()
      .split(/[\s,{]/)[0] ?? ''
  return Object.hasOwn(LANGUAGES, name) ? name : BY_EXTENSION.get(name)
}
