import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { browserTestsOf } from '../browser/pages.ts'

const ROOT = join(import.meta.dir, '../..')
/** Hours of commits before a pushed one that count as its change. */
const PUSH_HOURS = 6

const git = (...words: string[]): string | undefined => {
  const { exitCode, stdout } = Bun.spawnSync(['git', ...words], { cwd: ROOT, stderr: 'ignore' })
  return exitCode === 0 ? stdout.toString().trim() : undefined
}

/** Returns the number that the hash of the current commit stands for, and its first digits. */
export function commitSeed(): { seed: number; commit: string } {
  const commit = git('rev-parse', '--short=7', 'HEAD') ?? '0'
  return { seed: Number.parseInt(commit.slice(0, 7), 16), commit }
}

/** Returns the commit before those that were pushed together with the current one. */
export function pushBase(): string | undefined {
  const time = Number(git('log', '-1', '--format=%ct'))
  return git('rev-list', '-1', `--before=${time - PUSH_HOURS * 3600}`, 'HEAD') || undefined
}

/** Returns the commit that uncommitted and unpublished changes began at. */
export const nearBase = (): string => git('merge-base', 'HEAD', '@{upstream}') ?? 'HEAD'

/** Returns the paths that changed since a commit, with those that git does not track yet. */
export function changedSince(base: string): string[] {
  const lines = (text = '') => text.split('\n').filter((line) => line !== '')
  return [
    ...new Set([
      ...lines(git('diff', '--name-only', base)),
      ...lines(git('ls-files', '--others', '--exclude-standard')),
    ]),
  ]
}

/** Test folders and files of the parts of `src` whose names differ from theirs, by the beginning of the path. */
const TESTED_BY: Readonly<Record<string, readonly string[]>> = {
  'src/access/': ['test/access', 'test/auth', 'test/keys', 'test/activity'],
  'src/api/': ['test/api', 'test/openapi', 'test/malformed', 'test/app'],
  'src/app.ts': ['test/app', 'test/transport'],
  'src/blobs/': ['test/blobs', 'test/objects'],
  'src/build/': ['test/release', 'test/binary', 'test/docs'],
  'src/catalog/': ['test/catalog', 'test/queries', 'test/older-schemas'],
  'src/commands/': ['test/backup', 'test/restore', 'test/verify', 'test/repair', 'test/demo', 'test/process'],
  'src/modules/auth.ts': ['test/auth'],
  'src/modules/docs/': ['test/openapi', 'test/docs'],
  'src/server.ts': ['test/app', 'test/process', 'test/access'],
  'src/store/folder/': ['test/storage', 'test/trash', 'test/versions', 'test/repair', 'test/verify'],
  'src/store/objects/': ['test/objects', 'test/object-store'],
  'src/store/': ['test/storage', 'test/objects', 'test/trash', 'test/versions', 'test/races'],
  'src/views/': ['test/files', 'test/folders', 'test/openapi'],
  'src/volume/': ['test/storage', 'test/trash'],
  'drizzle/': ['test/catalog', 'test/older-schemas', 'test/queries'],
  'docs/': ['test/docs', 'test/words'],
  Dockerfile: ['test/image'],
}

/** Tests of the whole source that take few seconds: they run with every change. */
const ALWAYS = ['test/imports.test.ts', 'test/words.test.ts', 'test/queries.test.ts', 'test/mutants.test.ts']

/** Returns the beginnings of the paths of tests that belong to a changed path. */
function testsOf(path: string): readonly string[] {
  const [, part = '', name = ''] = path.split('/')
  if (path.startsWith('test/')) return /\.(test|check)\.tsx?$/.test(path) ? [path] : [`${dirname(path)}/`]
  const known = Object.keys(TESTED_BY)
    .filter((place) => path.startsWith(place))
    .toSorted((a, b) => b.length - a.length)[0]
  const browserTests = browserTestsOf(path)
  if (known !== undefined) return [...(TESTED_BY[known] ?? []), ...browserTests]
  if (!path.startsWith('src/')) return []
  const folder = part === 'modules' ? name.replace(/\.ts$/, '') : part.replace(/\.ts$/, '')
  return [`test/${folder}/`, `test/${folder}.test.ts`, ...browserTests]
}

/**
 * Chooses the test files that belong to changed paths: those that changed, those in a folder of the same name or in
 * `TESTED_BY`, and those that import a changed file themselves.
 */
export function nearTests(files: readonly string[], changed: readonly string[]): string[] {
  const places = changed.flatMap(testsOf).filter((place) => !place.startsWith('test/support'))
  const paths = new Set(changed)
  const imports = (file: string) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].some(([, to = '']) =>
      paths.has(normalize(join(dirname(file), to))),
    )
  return files.filter(
    (file) => ALWAYS.includes(file) || places.some((place) => file.startsWith(place)) || imports(file),
  )
}
