/**
 * Kinds of files in everyday words. Both engines of the catalog and the dashboard use this one definition, so that a
 * search, a filter and an icon agree. It imports nothing, because browsers load it.
 */
export const KINDS = ['image', 'video', 'audio', 'document', 'archive', 'code', 'other'] as const
export type Kind = (typeof KINDS)[number]

/** Pictures from which a list may be a gallery. */
const GALLERY_PICTURES = 3

/** True for items that a share shows as a gallery: most of them are pictures. */
export const isGallery = ({ pictures, items }: { pictures: number; items: number }): boolean =>
  pictures >= GALLERY_PICTURES && pictures * 2 > items

/** Extensions of each language, by the names of the dashboard's highlighter. */
export const LANGUAGES: Readonly<Record<string, string>> = {
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
/** Extensions of languages that the highlighter does not know. */
const PLAIN =
  'asm astro awk bat clj cljs cmd coffee cr cu elm erl ex exs f90 fish fs fsx glsl gradle groovy hcl hs jl lisp ml mli ' +
  'nim pas proto rkt sol tcl tf vb vim wat wgsl zig'

/** Languages of files by their whole names, in lower case. */
export const NAMED: Readonly<Record<string, string>> = {
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

/** Extensions of languages that are no code: Markdown is a document, and SVG an image. */
const NO_CODE = new Set([...(LANGUAGES['markdown'] ?? '').split(' '), 'svg'])
/** Extensions of code and data, in lower case. */
export const CODE_EXTENSIONS: readonly string[] = [...Object.values(LANGUAGES), PLAIN]
  .flatMap((extensions) => extensions.split(' '))
  .filter((extension) => !NO_CODE.has(extension))
/** Whole names of code and data, in lower case. */
export const CODE_NAMES: readonly string[] = Object.keys(NAMED)

/**
 * Patterns of media types, the first of which decides the kind of a file. A name of code decides before them: media types
 * know few languages and take TypeScript for MPEG transport streams. JavaScript and PostgreSQL read the patterns alike.
 */
export const MEDIA_PATTERNS: readonly [Kind, string][] = [
  ['image', '^image/'],
  ['video', '^video/'],
  ['audio', '^audio/'],
  ['document', 'pdf|msword|officedocument|opendocument|rtf|epub|^text/(plain|markdown|csv)$'],
  ['archive', 'zip|x-tar|gzip|x-bzip|x-7z|rar|x-xz|zstd'],
  ['code', 'json|javascript|typescript|xml|x-sh|yaml|toml|sql|^text/'],
]

const isNamedCode = new RegExp(
  `([^/]\\.(${CODE_EXTENSIONS.join('|')})|^(${CODE_NAMES.map((name) => name.replaceAll('.', '\\.')).join('|')}))$`,
  'i',
)
const TESTS = MEDIA_PATTERNS.map(([kind, pattern]) => [kind, new RegExp(pattern)] as const)

/** True for a name of code or data, whatever its media type. */
export const isCode = (name: string): boolean => isNamedCode.test(name)

/**
 * Returns the kind of a file by its name, or by its media type if the name says nothing. Without a name, the type of
 * transport streams is taken for TypeScript, which few servers have less of.
 */
export function kindOf({ name, mimeType }: { name?: string | undefined; mimeType: string }): Kind {
  if (name === undefined ? mimeType === 'video/mp2t' : isCode(name)) return 'code'
  return TESTS.find(([, pattern]) => pattern.test(mimeType))?.[0] ?? 'other'
}
