import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ArrowFunction,
  type Expression,
  type FunctionExpression,
  type Node,
  type PropertyAccessExpression,
  SyntaxKind,
} from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { API, type Checker, SignatureKind, type Type } from 'typescript/unstable/async'

const ROOT = join(import.meta.dir, '../..')
/** Matches a query type, a generator of queries, or a union that contains one. */
const STEPS = /^(?:[^{(]*\| )?(?:Query|Work|Steps|Generator<Query)</

/** Matches the type of a parameter that accepts a query. */
const TAKEN = /\b(?:Query|Work|Steps|Generator|PromiseLike)</

/** Calls on a promise that handle its outcome. */
const HANDLED = /\.(?:then|catch)\(/

/** Callback argument. It may return a query that its receiver ignores. */
type Passed = ArrowFunction | FunctionExpression | PropertyAccessExpression

/**
 * Finds queries that nothing runs: values that are neither run, returned, assigned nor passed on, and results of a
 * callback that its caller ignores.
 *
 * @returns Their places, as `path:line`.
 */
export async function findDroppedQueries(paths: readonly string[]): Promise<string[]> {
  const api = new API({ cwd: ROOT })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [join(ROOT, 'tsconfig.json')] })
    const [project] = snapshot.getProjects()
    if (!project) throw new Error('The project of tsconfig.json cannot be opened')
    const finder = new Finder(project.checker)
    const found: string[] = []
    for (const path of paths) {
      const file = await project.program.getSourceFile(join(ROOT, path))
      if (!file) throw new Error(`${path} is not part of the project`)
      const text = readFileSync(join(ROOT, path), 'utf8')
      const lineOf = (node: Node) => text.slice(0, node.getStart()).split('\n').length
      for (const node of await finder.dropped(file)) found.push(`${path}:${lineOf(node)}`)
    }
    return found
  } finally {
    await api.close()
  }
}

class Finder {
  readonly #checker: Checker
  readonly #isSteps = new Map<Type, boolean>()

  constructor(checker: Checker) {
    this.#checker = checker
  }

  /** Returns the calls in a file whose query is dropped, and the functions whose query their receiver drops. */
  async dropped(file: Node): Promise<Node[]> {
    const calls: Expression[] = []
    const passed: Passed[] = []
    const visit = (node: Node): void => {
      if (is.isCallExpression(node)) {
        if (!isUsed(node)) calls.push(node)
        passed.push(...node.arguments.filter(isPassed))
      }
      node.forEachChild(visit)
    }
    file.forEachChild(visit)
    const found: Node[] = []
    const types = calls.length > 0 ? await this.#checker.getTypeAtLocation(calls) : []
    for (const [index, type] of types.entries()) {
      const call = calls[index]
      if (!call || !type) continue
      const isDropped = (await this.#hasSteps(type))
        ? !(await this.#isTaken(call))
        : await this.#isFloating(call, type)
      if (isDropped) found.push(call)
    }
    for (const node of passed) if (await this.#isIgnored(node)) found.push(node)
    return found
  }

  /** Returns true for a statement that starts a promise and neither awaits it nor handles its failure. */
  async #isFloating(call: Expression, type: Type): Promise<boolean> {
    if (!is.isExpressionStatement(call.parent) || HANDLED.test(call.getText())) return false
    return (await this.#checker.typeToString(type)).startsWith('Promise<')
  }

  /** Returns true for an argument of a parameter that takes queries. */
  async #isTaken(call: Expression): Promise<boolean> {
    if (!isArgument(call.parent, call)) return false
    const expected = await this.#checker.getContextualType(call)
    return expected !== undefined && TAKEN.test(await this.#checker.typeToString(expected))
  }

  async #hasSteps(type: Type): Promise<boolean> {
    const known = this.#isSteps.get(type)
    if (known !== undefined) return known
    const isSteps = STEPS.test(await this.#checker.typeToString(type))
    this.#isSteps.set(type, isSteps)
    return isSteps
  }

  /** Returns true for a function that returns a query to a caller that expects nothing. */
  async #isIgnored(node: Passed): Promise<boolean> {
    const returned = await this.#returned(await this.#checker.getTypeAtLocation(node))
    if (!returned || !(await this.#hasSteps(returned))) return false
    const expected = await this.#returned(await this.#checker.getContextualType(node))
    return expected !== undefined && (await this.#checker.typeToString(expected)) === 'void'
  }

  async #returned(type: Type | undefined): Promise<Type | undefined> {
    if (!type) return undefined
    const [signature] = await this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    return signature && this.#checker.getReturnTypeOfSignature(signature)
  }
}

const isPassed = (node: Node): node is Passed =>
  is.isArrowFunction(node) || is.isFunctionExpression(node) || is.isPropertyAccessExpression(node)

/** Operators that return one of their operands. */
const PASSING = new Set([
  SyntaxKind.QuestionQuestionToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.CommaToken,
])

/** Returns true when the value of an expression is run, returned, assigned or passed on. */
function isUsed(node: Node): boolean {
  const { parent } = node
  if (is.isParenthesizedExpression(parent) || is.isAsExpression(parent)) return isUsed(parent)
  if (is.isConditionalExpression(parent)) return parent.condition !== node && isUsed(parent)
  if (is.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken
    if (kind === SyntaxKind.EqualsToken) return parent.right === node
    return PASSING.has(kind) && parent.right === node && isUsed(parent)
  }
  if (is.isYieldExpression(parent)) return parent.asteriskToken !== undefined
  if (is.isArrowFunction(parent)) return parent.body === node
  // A query that a generator returns would run after the commit.
  if (is.isReturnStatement(parent)) return !isInGenerator(parent)
  return (
    is.isAwaitExpression(parent) ||
    is.isVariableDeclaration(parent) ||
    is.isPropertyAssignment(parent) ||
    is.isArrayLiteralExpression(parent) ||
    is.isPropertyAccessExpression(parent)
  )
}

const isArgument = (parent: Node, node: Node): boolean =>
  is.isCallExpression(parent) && parent.expression !== node

function isInGenerator({ parent }: Node): boolean {
  if (is.isFunctionDeclaration(parent) || is.isFunctionExpression(parent) || is.isMethodDeclaration(parent))
    return parent.asteriskToken !== undefined
  return !is.isArrowFunction(parent) && !is.isSourceFile(parent) && isInGenerator(parent)
}
