import { join, relative } from 'node:path'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIfStatement,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/async'

const ROOT = join(import.meta.dir, '../..')
const PROJECTS = ['tsconfig.json', 'src/dashboard/tsconfig.json']

/** Small change of one place of the source. */
export interface Mutation {
  file: string
  line: number
  start: number
  end: number
  replacement: string
  /** Description: the old text and the new one. */
  what: string
}

const MOVED: ReadonlyMap<SyntaxKind, string> = new Map([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
])

/** Returns the part of a node that changes and what replaces it: a negated condition, a dropped call, another operator. */
function changeOf(node: Node): { part: Node; replacement: string } | undefined {
  const condition = isIfStatement(node)
    ? node.expression
    : isConditionalExpression(node)
      ? node.condition
      : undefined
  if (condition) return { part: condition, replacement: `!(${condition.getText()})` }
  if (isExpressionStatement(node)) {
    const call = isAwaitExpression(node.expression) ? node.expression.expression : node.expression
    return isCallExpression(call) ? { part: node.expression, replacement: 'void 0' } : undefined
  }
  if (!isBinaryExpression(node)) return undefined
  const replacement = MOVED.get(node.operatorToken.kind)
  return replacement === undefined ? undefined : { part: node.operatorToken, replacement }
}

function mutationsOf(file: string, source: SourceFile): Mutation[] {
  const found: Mutation[] = []
  const visit = (node: Node): void => {
    const change = changeOf(node)
    if (change) {
      const { part, replacement } = change
      const start = part.getStart()
      const shown = node.getText().replace(/\s+/g, ' ').slice(0, 80)
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      found.push({
        file,
        line,
        start,
        end: part.end,
        replacement,
        what: `${shown} -> ${replacement.slice(0, 60)}`,
      })
    }
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

/** Finds every place of `src` that can be mutated, by file. */
export async function findMutations(): Promise<Mutation[][]> {
  const api = new API({ cwd: ROOT })
  try {
    const found = new Map<string, Mutation[]>()
    for (const name of PROJECTS) {
      const path = join(ROOT, name)
      const project = (await api.updateSnapshot({ openProject: path })).getProject(path)
      for (const absolute of (await project?.program.getSourceFileNames()) ?? []) {
        const file = relative(ROOT, absolute)
        if (!file.startsWith('src/') || found.has(file)) continue
        const source = await project?.program.getSourceFile(absolute)
        if (source) found.set(file, mutationsOf(file, source))
      }
    }
    const files = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return files.map(([, mutations]) => mutations).filter((mutations) => mutations.length > 0)
  } finally {
    await api.close()
  }
}
