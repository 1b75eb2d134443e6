/** Language of a literal. */
export interface Style {
  text: (value: string) => string
  /** Name of a field. */
  name: (name: string) => string
  words: readonly [yes: string, no: string, nothing: string]
  /** Space inside the braces of an object, and comma after the last line. */
  padding: '' | ' '
  lastComma: '' | ','
  indent: string
}

const double = (value: string) => JSON.stringify(value)
const single = (value: string) =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

export const JSON_STYLE: Style = {
  text: double,
  name: double,
  words: ['true', 'false', 'null'],
  padding: '',
  lastComma: '',
  indent: '  ',
}
export const TYPESCRIPT_STYLE: Style = {
  ...JSON_STYLE,
  text: single,
  name: (name) => (/^[a-z_]\w*$/i.test(name) ? name : single(name)),
  padding: ' ',
  lastComma: ',',
}
export const PYTHON_STYLE: Style = {
  ...JSON_STYLE,
  words: ['True', 'False', 'None'],
  lastComma: ',',
  indent: '    ',
}

/** Characters of a line that a value may fill. */
const WIDTH = 64

/** Writes a value as a literal: on one line where it fits, else a line for each part. */
export function literal(value: unknown, style: Style, before = '', taken = 0): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return style.words[value ? 0 : 1]
  if (typeof value !== 'object' || value === null) return style.words[2]
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const within = before + style.indent
  const parts = (inner: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => literal(item, style, inner))
      : Object.entries(value).map(
          ([name, item]) => `${style.name(name)}: ${literal(item, style, inner, name.length + 2)}`,
        )
  const padding = open === '{' ? style.padding : ''
  const line = `${open}${padding}${parts('').join(', ')}${padding}${close}`
  if (!line.includes('\n') && before.length + taken + line.length <= WIDTH) return line
  const lines = parts(within).map((part) => `${within}${part}`)
  return `${open}\n${lines.join(',\n')}${style.lastComma}\n${before}${close}`
}
