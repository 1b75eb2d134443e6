import { nameProblem } from '../../../platform/names.ts'

/** Line of a file with rules that has no effect, and the reason. */
export interface LineProblem {
  /** Number of the line, from 1; 0 for the whole file. */
  line: number
  message: string
}

/** Reason why a line has no effect. */
export class BadLine extends Error {}

/** Maximum problems of one file that are reported. */
const MAX_PROBLEMS = 50
/** Matches what can stand in a header of a response unchanged: printable ASCII, and tabs. */
const PRINTABLE = /^[\t\x20-\x7e]*$/

export const isPrintable = (text: string): boolean => PRINTABLE.test(text)

/** Reads the lines of a file with rules, without comments. A line that throws `BadLine` has no effect. */
export function readLines(text: string, read: (line: string) => void): LineProblem[] {
  const problems: LineProblem[] = []
  for (const [at, sent] of text.split('\n').entries()) {
    const line = sent.endsWith('\r') ? sent.slice(0, -1) : sent
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    try {
      read(line)
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      if (problems.length < MAX_PROBLEMS) problems.push({ line: at + 1, message: error.message })
    }
  }
  return problems
}

/** Pattern of paths. */
export interface Pattern {
  /** Names from the root: themselves, or placeholders for any one name. */
  parts: readonly (string | { placeholder: string })[]
  /** True when the path may go on behind them. */
  hasRest: boolean
}

const PLACEHOLDER = /^:[a-z]\w*$/i

/** Reads a pattern of paths. A slash at its end does not count. @throws {BadLine} */
export function readPattern(text: string): Pattern {
  if (!text.startsWith('/')) throw new BadLine('A path begins with "/"')
  if (text.includes('?')) throw new BadLine('A query cannot be part of a path')
  const names = text.slice(1).split('/')
  if (names.at(-1) === '') names.pop()
  const hasRest = names.at(-1) === '*'
  if (hasRest) names.pop()
  const known = new Set(['splat'])
  const parts = names.map((name) => {
    if (name === '') throw new BadLine('A path has no empty name')
    if (name.includes('*')) throw new BadLine('"*" is a name of its own at the end of a path')
    if (!name.startsWith(':')) return nameOf(name)
    const placeholder = name.slice(1)
    if (!PLACEHOLDER.test(name)) throw new BadLine(`"${name}" is no placeholder, such as ":name"`)
    if (known.has(placeholder)) throw new BadLine(`"${name}" cannot be a placeholder again`)
    known.add(placeholder)
    return { placeholder }
  })
  return { parts, hasRest }
}

/** Returns a name without escapes. @throws {BadLine} */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new BadLine(`"${name}" has a bad escape`)
  }
}

function nameOf(text: string): string {
  const name = decoded(text)
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw new BadLine(`A name in a path ${problem}`)
}

/** Returns true if a path, by its names, has a pattern. */
export function isLike({ parts, hasRest }: Pattern, names: readonly string[]): boolean {
  if (hasRest ? names.length < parts.length : names.length !== parts.length) return false
  return parts.every((part, at) => typeof part !== 'string' || part === names[at])
}
