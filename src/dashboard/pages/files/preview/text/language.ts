import { extensionOf } from '../../../../lib/names.ts'

/** Ways to show a text. */
export interface Format {
  is: 'code' | 'text' | 'markdown' | 'table'
  /** Language of the highlighter. */
  language?: string
}

/** Extensions of each language, by the highlighter's names. */
const LANGUAGES: Record<string, string> = {
  bash: 'sh bash zsh ksh',
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh hxx ino',
  csharp: 'cs csx',
  css: 'css',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile',
  go: 'go',
  graphql: 'graphql gql',
  ini: 'ini toml cfg conf env properties editorconfig desktop service',
  java: 'java',
  javascript: 'js jsx mjs cjs',
  json: 'json json5 jsonc jsonl ndjson geojson webmanifest map ipynb',
  kotlin: 'kt kts',
  less: 'less',
  lua: 'lua',
  makefile: 'mk mak',
  markdown: 'md markdown mdx',
  nix: 'nix',
  objectivec: 'm mm',
  perl: 'pl pm',
  php: 'php',
  powershell: 'ps1 psm1',
  python: 'py pyw pyi',
  r: 'r',
  ruby: 'rb gemspec rake',
  rust: 'rs',
  scala: 'scala sc',
  scss: 'scss sass',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts tsx mts cts',
  xml: 'xml html htm xhtml svg xsl xsd rss atom plist vue svelte',
  yaml: 'yml yaml',
}

const BY_EXTENSION = new Map(
  Object.entries(LANGUAGES).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
)

/** Languages of files without an extension. */
const BY_NAME: Record<string, string> = {
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'makefile',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  'cargo.lock': 'ini',
  '.env': 'ini',
  '.gitconfig': 'ini',
  '.editorconfig': 'ini',
  '.npmrc': 'ini',
  '.bashrc': 'bash',
  '.zshrc': 'bash',
  '.profile': 'bash',
}

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
  const language = BY_NAME[name.toLowerCase()] ?? BY_EXTENSION.get(extension) ?? languageOfScript(beginning)
  // A log has lines that belong on one line each, as code does.
  if (extension === 'log') return { is: 'code' }
  if (language === 'markdown') return { is: 'markdown', language }
  return language === undefined ? { is: 'text' } : { is: 'code', language }
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
