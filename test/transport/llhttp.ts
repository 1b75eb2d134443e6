import { joinFields, type Reading, type Understood } from './understand.ts'

/** Used part of the binding to llhttp, on which the servers of Node and Bun are built. */
interface Parser {
  initialize: (kind: number, resource: object) => void
  execute: (input: Buffer) => number | Error
  [callback: number]: unknown
}

interface Binding {
  HTTPParser: (new () => Parser) &
    Record<'REQUEST' | 'kOnHeadersComplete' | 'kOnBody' | 'kOnMessageComplete', number>
  allMethods: string[]
}

function isBinding(value: unknown): value is Binding {
  return typeof value === 'object' && value !== null && 'HTTPParser' in value && 'allMethods' in value
}

function load(): Binding {
  const binding: unknown = Reflect.get(process, 'binding').call(process, 'http_parser')
  if (!isBinding(binding)) throw new Error('The runtime has no llhttp')
  return binding
}

const { HTTPParser, allMethods } = load()

/** Reads a stream as llhttp does, strictly. */
export function readAsLlhttp(text: string): Reading {
  const reading: Reading = { requests: [], isRefused: false }
  let open: Understood = { method: '', target: '', headers: {}, body: '' }
  const parser = new HTTPParser()
  parser.initialize(HTTPParser.REQUEST, {})
  parser[HTTPParser.kOnHeadersComplete] = (
    _: number,
    __: number,
    fields: string[],
    method: number,
    target: string,
  ) => {
    open = { method: allMethods[method] ?? '', target, headers: joinFields(pairs(fields), target), body: '' }
    return 0
  }
  parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
    open.body += bytes.toString('latin1')
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    reading.requests.push(open)
  }
  try {
    reading.isRefused = parser.execute(Buffer.from(text, 'latin1')) instanceof Error
  } catch {
    reading.isRefused = true
  }
  return reading
}

/** Pairs alternating names and values. */
const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] ?? '']] : []))
