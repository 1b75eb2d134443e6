import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isJsxText,
  isMethodDeclaration,
  isNoSubstitutionTemplateLiteral,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
  isVariableStatement,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/async'

const ROOT = join(import.meta.dir, '..')
const PROJECTS = ['tsconfig.json', 'src/dashboard/tsconfig.json']

/** First words of docstrings that begin with a clause, a preposition or a pronoun. */
const CLAUSE =
  /^(What|Whether|Who|Whose|Where|How|Of|To|When|While|Which|Why|If|As|At|By|For|From|In|On|With|Those|That|These|This|It|Its|They|There|So|Says|Tells|Nothing|Everything|Something|Is|Are|Was|Has|Have|Does|Did|Must|May|Can)$/
/** Matches a third-person verb, or a common form in its place. */
const VERB = /^([A-Z][a-z]+(-[a-z]+)*s|True|False|Like)$/
const PRONOUN = /\b(who|whoever|whom|nobody|somebody|anybody|everybody)\b/i
/** Phrases that hide the subject or the outcome of a test. */
const ODD_TITLE =
  /\b(is|are|was|were) told( so)?\b|\bgo(es)? on\b|\bgone on\b|\bso many\b|\bwho(ever)?\b|\bnobody\b|\bis able to\b|\banew\b/i
/** Words that a reader of a message must translate, besides pronouns. */
const ODD_MESSAGE =
  /\b(whoever|whom|nobody|somebody|anybody|judged?|anew|is told|are told|in vain|as was promised|goes on|answered|forget|forgot|settled?|left alone|speaks?)\b/i
/** Words for an admin and a user that the dashboard and the command line do not use. */
const OTHER_ROLE = /\badministrators?\b|\bmembers?\b/i
/** Documents that are not in the repository. */
const ELSEWHERE = /\bspec:|\bspec\/|open[ -]points?\b|\bdesign(\.md)? §|findings|runtime-notes/i

interface Found {
  path: string
  line: number
  text: string
}

/** Sources by path from the project's root, parsed by the TypeScript compiler. */
const sources = new Map<string, SourceFile>()
const api = new API({ cwd: ROOT })

beforeAll(async () => {
  for (const name of PROJECTS) {
    const snapshot = await api.updateSnapshot({ openProject: join(ROOT, name) })
    const project = snapshot.getProject(join(ROOT, name))
    const names = (await project?.program.getSourceFileNames()) ?? []
    for (const file of names.filter((found) => /^(src|test)\//.test(relative(ROOT, found)))) {
      const source = await project?.program.getSourceFile(file)
      if (source) sources.set(relative(ROOT, file), source)
    }
  }
})

afterAll(() => api.close())

const inSource = () => [...sources].filter(([path]) => path.startsWith('src/'))

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  node.forEachChild((child) => {
    walk(child, visit)
  })
}

function at(path: string, source: SourceFile, position: number, text: string): Found {
  return { path, line: source.getLineAndCharacterOfPosition(position).line + 1, text }
}

const isText = (node: Node) =>
  isStringLiteral(node) ||
  isNoSubstitutionTemplateLiteral(node) ||
  isTemplateHead(node) ||
  isTemplateMiddle(node) ||
  isTemplateTail(node) ||
  isRegularExpressionLiteral(node) ||
  isJsxText(node)

/** Returns true for a text of several words. */
const isMessage = (node: Node) =>
  isText(node) && !isRegularExpressionLiteral(node) && / /.test(node.getText().trim())

/** Returns the comments of a file: texts in comment syntax outside of strings, templates, patterns and JSX text. */
function commentsOf(path: string, source: SourceFile): Found[] {
  let code = source.text
  walk(source, (node) => {
    if (isText(node))
      code = code.slice(0, node.getStart()) + ' '.repeat(node.end - node.getStart()) + code.slice(node.end)
  })
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map((found) =>
    at(path, source, found.index, found[0]),
  )
}

/** Returns true when a docstring's declaration is a function in any syntax. */
function isFunction(node: Node): boolean {
  if (isVariableStatement(node)) {
    const value = node.declarationList.declarations[0]?.initializer
    return value !== undefined && (isArrowFunction(value) || isFunctionExpression(value))
  }
  return isFunctionDeclaration(node) || isMethodDeclaration(node) || isConstructorDeclaration(node)
}

interface Docstring extends Found {
  first: string
  ofFunction: boolean
}

function docstringsOf(path: string, source: SourceFile): Docstring[] {
  const found: Docstring[] = []
  walk(source, (node) => {
    for (const { pos, end } of node.jsDoc ?? []) {
      const text = source.text.slice(pos, end).replace(/^\s*\/\*\*|\*\/\s*$|^\s*\*/gm, '')
      const first = /^\s*(`[^`]*`|[^\s,.:;]+)/.exec(text)?.[1] ?? ''
      if (!first.startsWith('@'))
        found.push({ ...at(path, source, pos, text.trim()), first, ofFunction: isFunction(node) })
    }
  })
  return found
}

const show = (found: Found[]) => found.map(({ path, line, text }) => `${path}:${line}: ${text.slice(0, 100)}`)
const isComponent = ({ path }: Found) => path.endsWith('.tsx')

describe('comments', () => {
  test('no docstring begins with a clause or a pronoun', () => {
    const odd = [...sources]
      .flatMap((file) => docstringsOf(...file))
      .filter(({ first }) => CLAUSE.test(first))
    expect(show(odd)).toEqual([])
  })

  test("a function's docstring begins with a third-person verb, a component's with a noun", () => {
    const odd = [...sources]
      .flatMap((file) => docstringsOf(...file))
      .filter((found) => found.ofFunction && !isComponent(found) && !VERB.test(found.first))
    expect(show(odd)).toEqual([])
  })

  test('comments name roles, not persons', () => {
    const odd = [...sources].flatMap((file) => commentsOf(...file).filter(({ text }) => PRONOUN.test(text)))
    expect(show(odd)).toEqual([])
  })

  test('comments cite only documents in the repository', () => {
    const odd = [...sources].flatMap((file) => commentsOf(...file).filter(({ text }) => ELSEWHERE.test(text)))
    expect(show(odd)).toEqual([])
  })
})

describe('tests', () => {
  test('titles say what happens, in the words of the field', () => {
    const titles: Found[] = []
    for (const [path, source] of sources) {
      if (!/\.(test|check)\.tsx?$/.test(path)) continue
      walk(source, (node) => {
        if (!isCallExpression(node) || !/^(test|it|describe)\b/.test(node.expression.getText())) return
        const title = node.arguments[0]
        if (title && (isStringLiteral(title) || isNoSubstitutionTemplateLiteral(title)))
          titles.push(at(path, source, title.getStart(), title.text))
      })
    }
    expect(titles.length).toBeGreaterThan(1000)
    expect(show(titles.filter(({ text }) => ODD_TITLE.test(text)))).toEqual([])
  })
})

describe('messages', () => {
  test('contain no word that a reader must translate', () => {
    const odd = inSource().flatMap(([path, source]) => {
      const found: Found[] = []
      walk(source, (node) => {
        if (isMessage(node) && ODD_MESSAGE.test(node.getText()))
          found.push(at(path, source, node.getStart(), node.getText()))
      })
      return found
    })
    expect(show(odd)).toEqual([])
  })

  test('of the dashboard and the command line say admin, and account or user', () => {
    const odd = inSource().flatMap(([path, source]) => {
      const found: Found[] = []
      if (!/^src\/(dashboard\/texts|cli\/)/.test(path)) return found
      walk(source, (node) => {
        if (isMessage(node) && OTHER_ROLE.test(node.getText()))
          found.push(at(path, source, node.getStart(), node.getText()))
      })
      return found
    })
    expect(show(odd)).toEqual([])
  })
})
