import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { joinFields, type Reading } from '../understand.ts'

/** Request of llhttp's corpus with llhttp's reading of it. */
export interface CorpusCase {
  /** File, line and heading. */
  name: string
  /** Bytes on the wire, one character a byte. */
  stream: string
  expected: Reading
  /** Lenient mode in which llhttp parsed it. */
  leniency: string | undefined
}

const FOLDER = join(import.meta.dir, 'llhttp')
const CASE = /<!-- meta=(\{[^}]*\}) -->\n```http\n(.*?)```[^`]*```log\n(.*?)```/gs
/** Codes with which llhttp stops although the request is well formed: the rest belongs to another protocol. */
const UPGRADES = /error code=2[23] /

/** Reads all cases of llhttp's `test/request/*.md`. */
export function readCorpus(): CorpusCase[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => readCases(file, readFileSync(join(FOLDER, file), 'utf8')))
}

function readCases(file: string, text: string): CorpusCase[] {
  return [...text.matchAll(CASE)].flatMap(({ 1: meta = '', 2: input = '', 3: log = '', index }) => {
    // Calls of llhttp's API, by which its user passes over a body.
    if (meta.includes('skipBody')) return []
    const lines = text.slice(0, index).split('\n')
    const heading = lines.findLast((line) => line.startsWith('#'))?.replace(/^#+ /, '')
    const [, leniency] = /"request-lenient-([a-z-]+)"/.exec(meta) ?? []
    return {
      name: `${file}:${lines.length} ${heading}`,
      stream: fromEscapes(input),
      expected: readLog(log),
      leniency,
    }
  })
}

/** Undoes the escapes of the corpus: each line ends with CRLF unless the text says otherwise. */
function fromEscapes(input: string): string {
  return input
    .replace(/\n$/, '')
    .replace(/\\\n/g, '')
    .replace(/\n/g, '\r\n')
    .replace(/\\([rntf])/g, (_, letter: string) => ({ r: '\r', n: '\n', t: '\t', f: '\f' })[letter] ?? '')
    .replace(/\\x([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\([0-7]{1,3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** Reads llhttp's log of one case. */
function readLog(log: string): Reading {
  const requests: Reading['requests'] = []
  let open = { method: '', url: '', headers: {}, body: '' }
  let fields: [name: string, value: string][] = []
  let field: [name: string, value: string] = ['', '']
  for (const line of log.split('\n')) {
    const [, span = '', quoted, named] = /span\[(\w+)\]=(?:"(.*)"|(\w+))$/.exec(line) ?? []
    const text = quoted?.replaceAll('\\t', '\t') ?? { cr: '\r', lf: '\n' }[named ?? ''] ?? ''
    if (line.endsWith('message begin')) {
      open = { method: '', url: '', headers: {}, body: '' }
      fields = []
    } else if (line.includes(' headers complete')) {
      // Before the body: fields behind it are trailers.
      open.headers = joinFields(fields, open.url)
    } else if (line.endsWith('message complete')) {
      const { url: target, ...request } = open
      requests.push({ target, ...request })
    } else if (span === 'header_field') field[0] += text
    else if (span === 'header_value') field[1] += text
    else if (line.endsWith('header_value complete')) {
      fields.push(field)
      field = ['', '']
    } else if (span === 'method' || span === 'url' || span === 'body') open[span] += text
  }
  return { requests, isRefused: /error code=/.test(log) && !UPGRADES.test(log) }
}
