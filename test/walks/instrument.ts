import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isBlock,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/async'

/** Text to insert into a source, by position. */
type Insertions = [position: number, text: string][]

/** Copies the server from `root` to `copy` and makes each function of `src` report its file and first line on entry. */
export async function instrument(root: string, copy: string): Promise<void> {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  for (const name of [
    'node_modules',
    'drizzle',
    'docs',
    'package.json',
    'tsconfig.json',
    'README.md',
    'dist',
  ])
    symlinkSync(join(root, name), join(copy, name))
  const api = new API({ cwd: root })
  try {
    const config = join(root, 'tsconfig.json')
    const project = (await api.updateSnapshot({ openProject: config })).getProject(config)
    for (const path of (await project?.program.getSourceFileNames()) ?? []) {
      const name = relative(root, path)
      const source = name.startsWith('src/') ? await project?.program.getSourceFile(path) : undefined
      if (source) write(join(copy, name), withReports(readFileSync(path, 'utf8'), name, source))
    }
  } finally {
    await api.close()
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function withReports(text: string, name: string, source: Node): string {
  const insertions: Insertions = []
  const visit = (node: Node): void => {
    const body = bodyOf(node)
    // The threads of the server record nothing.
    const report =
      body && `globalThis.walk?.(${JSON.stringify(name)},${JSON.stringify(lineAt(text, node.getStart()))})`
    if (body && isBlock(body)) insertions.push([body.getStart() + 1, `${report};`])
    else if (body) insertions.push([body.getStart(), `(${report},`], [body.end, ')'])
    node.forEachChild(visit)
  }
  source.forEachChild(visit)
  let [result, position] = ['', 0]
  for (const [at, inserted] of insertions.sort(([a], [b]) => a - b)) {
    result += text.slice(position, at) + inserted
    position = at
  }
  return result + text.slice(position)
}

/** Returns the source line around a position, for telling functions of one file apart. */
function lineAt(text: string, position: number): string {
  const end = text.indexOf('\n', position)
  return text.slice(text.lastIndexOf('\n', position - 1) + 1, end < 0 ? undefined : end).trim()
}

function bodyOf(node: Node): Node | undefined {
  const isFunction =
    isArrowFunction(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  return isFunction ? node.body : undefined
}
