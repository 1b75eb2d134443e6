/** Switches off each guard of the rights in folders in a copy of the project, and expects that a test of the rights fails. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EMBEDDED_ONLY } from '../embedded-only.ts'
import { inLanes, openBench } from '../faults/bench.ts'
import type { Kind } from '../support/kind.ts'
import { copyProject } from '../support/mutant.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'

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
    pattern: /yield\* leavesGrant\([^\n]*?\)(?=\))/g,
    without: () => 'false',
  },
  // A row outside that exists.
  {
    pattern: /\b(?:one|several)\((rows\.\w+\.\w+\([\w., ]*\)), [^\n]*\)(?=,$)/gm,
    without: (_, rows = '') => rows,
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

/** Place of a guard. */
interface Place {
  name: string
  file: string
  /** Value of `WITHOUT_GUARD` that switches it off. */
  number: number
}

/** Wraps all guards in a copy of the project, so that a variable switches one off. Returns them. */
function wrapGuards(folder: string): Place[] {
  const places: Place[] = []
  for (const parent of FOLDERS)
    for (const name of readdirSync(join(folder, parent), { recursive: true, encoding: 'utf8' }).toSorted()) {
      if (!name.endsWith('.ts')) continue
      const file = join(parent, name)
      const source = readFileSync(join(folder, file), 'utf8')
      const found = GUARDS.flatMap(({ pattern, without }) =>
        [...source.matchAll(pattern)].map((match) => ({ match, without: without(...match) })),
      ).toSorted((a, b) => a.match.index - b.match.index)
      if (found.length === 0) continue
      let wrapped = `import { differing, isWithout, refusing, rejecting } from '${join(folder, SWITCH)}'; `
      let end = 0
      for (const { match, without } of found) {
        const [text] = match
        if (match.index < end) throw new Error(`${file}: "${text}" is within another guard`)
        const before = source.slice(end, match.index)
        const number = places.length
        wrapped += `${before}${wrap(number, text, without, /(^|\n) *$/.test(before))}`
        end = match.index + text.length
        places.push({
          name: `${file}:${source.slice(0, match.index).split('\n').length} ${text}`,
          file,
          number,
        })
      }
      writeFileSync(join(folder, file), wrapped + source.slice(end))
    }
  return places
}

/** Returns a guard that can be switched off. One that begins a line may be a statement, which must not begin with a bracket. */
function wrap(number: number, text: string, without: string, beginsLine: boolean): string {
  const [, wait = '', checked] = /^(yield\* |await )(.*)$/s.exec(text) ?? []
  const isCheck = without === 'void 0' || without.startsWith('yield* ')
  const value = ['true', 'false'].includes(without) ? without : 'undefined'
  const guard = isCheck
    ? `${wait}${wait === 'await ' ? 'rejecting' : 'refusing'}(${number}, ${checked})`
    : `differing(${number}, ${text}, ${value})`
  const both = `isWithout(${number}) ? ${without} : ${guard}`
  return beginsLine ? both : `(${both})`
}

const SWITCH = 'test/rights/guard-switch.ts'
const REPORT = 'test/rights/guard-report.ts'
/** Tests that take several seconds. The others run first, because a guard needs one test that fails. */
const SLOW = ['dav', 'races', 'histories', 'matrix']

/** Returns the files of tests of the rights that run on a kind of instance, those of the same name as a guarded file first. */
function testFiles(kind: Kind, guarded = ''): string[] {
  const isNear = (stem: string) => Number(guarded.includes(stem))
  return readdirSync(import.meta.dir)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => kind === 'embedded' || !(`test/rights/${name}` in EMBEDDED_ONLY))
    .map((name) => name.replace('.test.ts', ''))
    .toSorted((a, b) => isNear(b) - isNear(a) || SLOW.indexOf(a) - SLOW.indexOf(b))
    .map((stem) => `./test/rights/${stem}.test.ts`)
}

/** Runs tests in the copy. Returns what they print. */
async function runTests(
  folder: string,
  words: readonly string[],
  environment: Record<string, string>,
): Promise<string> {
  const command = ['test', '--no-isolate', '--timeout', '300000', ...words]
  const tests = Bun.spawn([process.execPath, ...command], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [output] = await Promise.all([tests.stderr.text(), tests.exited])
  return output
}

/** Test in which guards mattered. */
interface Noted {
  file: string
  title: string
  guards: ReadonlySet<number>
}

/** Runs all tests with all guards, and notes which guards mattered in each. */
async function noteGuards(folder: string): Promise<Noted[]> {
  const output = await runTests(folder, ['--preload', `./${REPORT}`, ...testFiles('embedded')], {})
  if (/^\(fail\)/m.test(output)) throw new Error(`Tests of the rights fail with all guards:\n${output}`)
  let [file, guards] = ['', new Set<number>()]
  const tests: Noted[] = []
  for (const line of output.split('\n')) {
    const [, opened] = /^(test\/rights\/.*):$/.exec(line) ?? []
    const [, numbers] = /^guards: (.*)$/.exec(line) ?? []
    const [, title] = /^\(pass\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? []
    if (opened) file = `./${opened}`
    if (numbers) guards = new Set(numbers.split(' ').map(Number))
    if (!title) continue
    tests.push({ file, title, guards })
    guards = new Set()
  }
  // First those in which the fewest guards mattered.
  return tests.toSorted((a, b) => a.guards.size - b.guards.size)
}

/** Number of guards from which on it is cheaper to note them in one run of all tests first. */
const MIN_NOTED = 20

/** Number of tests that are tried before all in which the guard mattered. */
const FEW = 4

/** Returns the words that run some tests. */
function wordsFor(tests: readonly Noted[]): string[] {
  // The runner joins titles by a space, and prints another sign between them.
  const pattern = ({ title }: Noted) =>
    title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' > ', '( | > )')
  return ['-t', `^ ?(${tests.map(pattern).join('|')})$`, ...new Set(tests.map(({ file }) => file))]
}

/** Returns the words of runs that may catch a missing guard, the cheapest first; the last one runs everything. */
function runsFor({ file, number }: Place, kind: Kind, noted: readonly Noted[]): string[][] {
  const tests = kind === 'embedded' ? noted.filter(({ guards }) => guards.has(number)) : []
  return [
    ...(tests.length > 0 ? [wordsFor(tests.slice(0, FEW))] : []),
    ...(tests.length > FEW ? [wordsFor(tests.slice(FEW))] : []),
    testFiles(kind, file),
  ]
}

/** Runs the tests of the rights without each guard, until one fails. */
export async function rigGuards(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  const folder = join(bench.folder, 'guards')
  copyProject(folder)
  const places = chosenFrom(wrapGuards(folder), options)
  const noted = places.length < MIN_NOTED ? [] : await noteGuards(folder)
  await inLanes(2, places, async (place) => {
    const kind = place.file.startsWith('src/store/objects/') ? 'objects' : 'embedded'
    const environment = { HOLDFAST_KIND: kind, WITHOUT_GUARD: String(place.number) }
    let isCaught = false
    for (const words of runsFor(place, kind, noted)) {
      isCaught = /^\(fail\)/m.test(await runTests(folder, ['--bail', ...words], environment))
      if (isCaught) break
    }
    tally.add(place.name, 1, isCaught ? [] : ['no test of the rights fails without it'])
  })
}
