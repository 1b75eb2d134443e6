/** Removes each guard of the rights in folders from a copy of the project, and expects that a test of the rights fails. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EMBEDDED_ONLY } from '../embedded-only.ts'
import { inLanes, openBench } from '../faults/bench.ts'
import type { Kind } from '../support/kind.ts'
import { makeMutant, type SourceChange } from '../support/mutant.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'

const ROOT = join(import.meta.dir, '../..')

/** Way in which a guard is written, and what stands there without it. */
interface Guard {
  pattern: RegExp
  without: (...groups: string[]) => string
}

const GUARDS: readonly Guard[] = [
  // Services that see the whole tree.
  {
    pattern: /within\((\w+), caller\)/g,
    without: (_, deps) => `within(${deps}, { reach: Reflect.construct(caller.reach.constructor, [{}]) })`,
  },
  // A right that is not asked for.
  {
    pattern:
      /(yield\* |await )[\w.]*(assertRight|assertRightAbove|assertRightOver|assertVisibility|assertWritable)\([^\n]*\)$/gm,
    without: (_, wait) => (wait === 'await ' ? 'void 0' : 'yield* []'),
  },
  {
    pattern: /(yield\* leavesGrant\([^\n]*?\))\)/g,
    without: () => 'false)',
  },
  // A row outside that exists.
  {
    pattern: /\b(?:one|several)\((rows\.\w+\.\w+\([\w., ]*\)), [^\n]*\),$/gm,
    without: (_, rows) => `${rows},`,
  },
  {
    pattern: /\(yield\* isInside\(id\)\)|isAtEntry\((?:this\.#entries|yield\* [^\n]*), segments\)/g,
    without: () => 'true',
  },
  {
    pattern: /body\(\(\) => keysInside\((\w+), reach, (\w+)\)\)/g,
    without: (_, places, ids) => `${places}.keysOf(${ids})`,
  },
]

/** Files with guards. */
const FOLDERS = ['src/access', 'src/catalog/tree', 'src/modules', 'src/reception', 'src/store', 'src/views']

/** Returns the mutants of the project: each lacks one guard. */
function guards(): SourceChange[] {
  const found: SourceChange[] = []
  for (const folder of FOLDERS)
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const file = join(folder, name)
      const source = readFileSync(join(ROOT, file), 'utf8')
      for (const { pattern, without } of GUARDS)
        for (const match of source.matchAll(pattern))
          found.push(mutantOf(file, source, match, without(...match)))
    }
  return found
}

function mutantOf(file: string, source: string, match: RegExpMatchArray, replacement: string): SourceChange {
  const [text] = match
  const at = match.index ?? 0
  const line = source.slice(0, at).split('\n').length
  // Lines before it tell it from others like it.
  let from = at
  while (source.split(source.slice(from, at + text.length)).length > 2)
    from = source.lastIndexOf('\n', from - 1)
  const before = source.slice(from, at)
  return { name: `${file}:${line} ${text}`, file, text: before + text, replacement: before + replacement }
}

/** Tests that take several seconds. The others run first, because a guard needs one test that fails. */
const SLOW = ['dav', 'races', 'histories', 'matrix']

/** Tests that failed without guards: the likeliest to fail without the next one, above all of the same file. */
class Catches {
  readonly #counts = new Map<string, number>()

  add(file: string, test: string): void {
    for (const name of [`${file} ${test}`, test]) this.#counts.set(name, this.#of(name) + 1)
  }

  /** Returns the tests of the rights that run on a kind of instance, the likeliest to fail without a guard of `file` first. */
  order(kind: Kind, file: string): string[] {
    const isOfFile = (stem: string) => file.includes(stem) || this.#of(`${file} ${stem}`) > 0
    return readdirSync(import.meta.dir)
      .filter((name) => name.endsWith('.test.ts'))
      .filter((name) => kind === 'embedded' || !(`test/rights/${name}` in EMBEDDED_ONLY))
      .map((name) => name.replace('.test.ts', ''))
      .toSorted(
        (a, b) =>
          Number(isOfFile(b)) - Number(isOfFile(a)) ||
          SLOW.indexOf(a) - SLOW.indexOf(b) ||
          this.#of(b) - this.#of(a),
      )
      .map((stem) => `./test/rights/${stem}.test.ts`)
  }

  #of(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}

/** Runs the tests of the rights without each guard. */
export async function rigGuards(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  const catches = new Catches()
  await inLanes(2, chosenFrom(guards(), options), async (guard) => {
    const folder = join(bench.folder, Bun.hash(guard.name).toString(16))
    makeMutant(guard, folder)
    const kind = guard.file.startsWith('src/store/objects/') ? 'objects' : 'embedded'
    const command = ['test', '--no-isolate', '--bail', '--timeout', '300000']
    const tests = Bun.spawn([process.execPath, ...command, ...catches.order(kind, guard.file)], {
      cwd: folder,
      env: { ...process.env, HOLDFAST_KIND: kind },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [output] = await Promise.all([tests.stderr.text(), tests.exited])
    const isCaught = /^\(fail\)/m.test(output)
    const ran = [...output.matchAll(/^test\/rights\/(.*)\.test\.ts:$/gm)]
    if (isCaught) catches.add(guard.file, ran.at(-1)?.[1] ?? '')
    tally.add(guard.name, 1, isCaught ? [] : ['no test of the rights fails without it'])
  })
}
