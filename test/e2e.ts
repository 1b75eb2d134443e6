import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { EMBEDDED_ONLY, SQLITE_ONLY } from './embedded-only.ts'
import { isKind, KINDS } from './support/kind.ts'
import { startPostgres } from './support/postgres.ts'

/**
 * Runs every test that speaks to a server, or runs a command: against the binary that `HOLDFAST_BIN` names, or on another
 * kind of instance than the embedded one. Words: the kind, then paths that the tests must begin with.
 *
 * Tests that tell the server the time, or look into it, need it in their own process: they run as well beside a
 * binary, and are named.
 */

const ROOT = join(import.meta.dir, '..')
const [kind = 'embedded', ...paths] = process.argv.slice(2)
if (!isKind(kind)) throw new Error(`The kind must be one of ${KINDS.join(', ')}`)
const binary = process.env['HOLDFAST_BIN']
if (kind === 'embedded' && (!binary || !existsSync(binary)))
  throw new Error('HOLDFAST_BIN must name a binary, such as dist/holdfast')

const lists = { embedded: {}, objects: EMBEDDED_ONLY, scale: { ...EMBEDDED_ONLY, ...SQLITE_ONLY } }
const excluded = Object.keys(lists[kind]).map((pattern) => new Glob(pattern))
const files = [...new Glob('test/**/*.test.ts').scanSync(ROOT)]
  .sort()
  .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
  .filter((file) => !excluded.some((glob) => glob.match(file)))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const isSpeaking = (file: string) =>
  /(start|with|spawn)Holdfast|startWithAccount|runCommand|createPerson|startServer/.test(textOf(file))
/** Returns true for tests that need the server in their own process. `stats.ts` starts such servers. */
const isInside = (file: string) => /(start|with)Inside|from '\.\/stats\.ts'|runProgram/.test(textOf(file))
const speaking = files.filter((file) => isSpeaking(file) || isInside(file))
const inside = speaking.filter(isInside)
const onlyInside = inside.filter((file) => !isSpeaking(file))

/** Database of all instances; that of the environment, or one of a server of its own. */
using postgres = kind === 'scale' && !process.env['DATABASE_URL'] ? await startPostgres() : undefined
const database: Record<string, string> = postgres ? { DATABASE_URL: postgres.createDatabase() } : {}

const { exitCode } = Bun.spawnSync(
  [
    ...[process.execPath, 'test', ...(kind === 'embedded' ? [] : ['--parallel=2', '--no-isolate'])],
    ...['--timeout', '90000'],
    ...speaking.map((file) => `./${file}`),
  ],
  {
    cwd: ROOT,
    env: { ...process.env, ...database, HOLDFAST_KIND: kind },
    stdout: 'inherit',
    stderr: 'inherit',
  },
)
const list = (names: string[]) => names.map((name) => `\n  ${name}`).join('')
if (kind === 'embedded')
  console.log(`
${binary}: ${speaking.length - inside.length} files of tests ran against it alone.
In ${inside.length - onlyInside.length} more, some of the tests have the server in their own process:${list(inside.filter(isSpeaking))}
In ${onlyInside.length}, all of them:${list(onlyInside)}`)
process.exitCode = exitCode
