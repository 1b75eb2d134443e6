import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
const ALL = [...new Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort()
const isDashboard = (path: string) => path.startsWith('src/dashboard/')
/** The server's, without the script that builds the program; the dashboard runs in browsers and has rules of its own. */
const SOURCES = ALL.filter((path) => !isDashboard(path) && !path.startsWith('src/build/'))
const DASHBOARD = ALL.filter(isDashboard)

/** Modules beside the folders that anyone may use: they import next to nothing themselves. */
const SHARED = [
  'src/errors.ts',
  'src/config.ts',
  'src/deps.ts',
  'src/schema.ts',
  'src/envelope.ts',
  'src/body.ts',
  'src/version.ts',
  'src/time.ts',
  'src/turns.ts',
  'src/slots.ts',
]
const ASSEMBLY = [
  'src/main.ts',
  'src/server.ts',
  'src/app.ts',
  'src/log.ts',
  ...SOURCES.filter((path) => path.startsWith('src/commands/')),
]
const FEATURES = [
  'account',
  'archives',
  'files',
  'folders',
  'hosting',
  'keys',
  'openapi',
  'setup',
  'settings',
  'stats',
  'activity',
  'metrics',
  'uploads',
  'users',
  'web',
]

interface Import {
  from: string
  to: string
  typeOnly: boolean
}

const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}

/** What each source file imports: paths from the project's root, or package names. */
function importsOf(path: string): Import[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const scanned = transpilers[path.endsWith('x') ? 'tsx' : 'ts'].scanImports(text)
  const later = scanned.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path)
  const written = [...text.matchAll(/^(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]/gm)].map(
    ([, to = '']) => to,
  )
  const atRunTime = new Set(scanned.map((found) => found.path))
  return [...new Set([...written, ...later])].map((to) => ({
    from: path,
    to: to.startsWith('.') ? relative(ROOT, join(ROOT, dirname(path), to)) : to,
    typeOnly: !atRunTime.has(to),
  }))
}

const IMPORTS = SOURCES.flatMap(importsOf)

const inFolder = (folder: string) => (path: string) => path.startsWith(`src/${folder}/`)
const show = (broken: Import[]) => broken.map(({ from, to }) => `${from} -> ${to}`)

function strayImports(folder: string, allowed: (found: Import) => boolean): string[] {
  const own = inFolder(folder)
  return show(IMPORTS.filter((found) => own(found.from) && !own(found.to) && !allowed(found)))
}

const isOurs = ({ to }: Import) => to.startsWith('src/')

describe('imports point one way', () => {
  test.each(['http', 'multipart', 'zip'])('%s is a leaf: it knows only the errors', (leaf) => {
    expect(strayImports(leaf, (found) => !isOurs(found) || found.to === 'src/errors.ts')).toEqual([])
  })

  test('the catalog knows errors, types of the configuration and its migrations', () => {
    const allowed = ['src/errors.ts', 'src/slots.ts', 'drizzle/migrations.ts']
    expect(strayImports('catalog', (found) => !isOurs(found) || allowed.includes(found.to))).toEqual([])
  })

  test('the volume knows errors only', () => {
    expect(strayImports('volume', (found) => !isOurs(found) || found.to === 'src/errors.ts')).toEqual([])
  })

  test('storage knows the catalog, the volume and leaves', () => {
    const below = ['catalog', 'volume', 'http'].map(inFolder)
    const allowed = (found: Import) =>
      !isOurs(found) ||
      ['src/errors.ts', 'src/time.ts'].includes(found.to) ||
      found.typeOnly ||
      below.some((holds) => holds(found.to))
    expect(strayImports('storage', allowed)).toEqual([])
  })

  test('the client knows nothing at run time, and types only of the server', () => {
    expect(strayImports('client', (found) => found.typeOnly)).toEqual([])
  })

  test('the command line speaks with servers through the client alone', () => {
    const below = ['client', 'zip'].map(inFolder)
    const allowed = (found: Import) =>
      !isOurs(found) || found.to === 'src/volume/names.ts' || below.some((holds) => holds(found.to))
    expect(strayImports('cli', allowed)).toEqual([])
  })

  test('backups know the catalog, the volume and what keeps them together', () => {
    const below = ['catalog', 'volume', 'storage'].map(inFolder)
    const allowed = (found: Import) =>
      !isOurs(found) ||
      found.to === 'src/errors.ts' ||
      found.typeOnly ||
      below.some((holds) => holds(found.to))
    expect(strayImports('backup', allowed)).toEqual([])
  })

  test('auth knows no feature', () => {
    const features = FEATURES.map(inFolder)
    expect(strayImports('auth', (found) => !features.some((holds) => holds(found.to)))).toEqual([])
  })

  test("the API's document knows of the features only what they take and answer", () => {
    const features = FEATURES.map(inFolder)
    const ofFeatures = (found: Import) => features.some((holds) => holds(found.to))
    expect(strayImports('openapi', (found) => !ofFeatures(found) || found.to.endsWith('/model.ts'))).toEqual(
      [],
    )
  })

  test('no feature imports the routes of another', () => {
    const routes = IMPORTS.filter(
      ({ from, to }) => to.endsWith('/routes.ts') && dirname(from) !== dirname(to),
    )
    expect(show(routes.filter(({ from }) => !ASSEMBLY.includes(from)))).toEqual([])
  })

  test('nothing imports the modules that put everything together', () => {
    const upward = IMPORTS.filter(({ from, to }) => ASSEMBLY.includes(to) && !ASSEMBLY.includes(from))
    expect(show(upward)).toEqual([])
  })

  test('only the catalog imports drizzle or SQLite, but for the lock of the data folder', () => {
    const sql = IMPORTS.filter(({ to }) => to.startsWith('drizzle-orm') || to === 'bun:sqlite')
    const outside = sql.filter(({ from }) => !inFolder('catalog')(from))
    expect(show(outside)).toEqual(['src/volume/layout.ts -> bun:sqlite'])
  })

  test('Elysia is known only where routes are put together', () => {
    const elysia = IMPORTS.filter(({ to }) => to === 'elysia' || to.startsWith('@elysiajs/'))
    const allowed = /(^src\/(app|problem)\.ts|\/(routes|plugin|cookie)\.ts)$/
    expect(show(elysia.filter(({ from }) => !allowed.test(from)))).toEqual([])
  })

  test('only main touches the process and its environment', () => {
    const touching = SOURCES.filter((path) =>
      /\bprocess\.(env|exit|on|argv)\b/.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    expect(touching).toEqual(['src/main.ts'])
  })

  test('only main reads a clock or rolls dice, but for the client, which is no part of the server', () => {
    const ambient = /\bDate\.now\b|new Date\(\)|performance\.now|Math\.random|randomUUID|getRandomValues/
    const parts = SOURCES.filter((path) => !inFolder('client')(path))
    const reading = parts.filter((path) => ambient.test(readFileSync(join(ROOT, path), 'utf8')))
    expect(reading).toEqual(['src/main.ts'])
  })

  test('the dashboard imports the client, of the server nothing but types, and the server nothing of it', () => {
    const fromServer = DASHBOARD.flatMap(importsOf).filter(
      (found) =>
        isOurs(found) && !isDashboard(found.to) && !found.typeOnly && found.to !== 'src/client/index.ts',
    )
    expect(show([...fromServer, ...IMPORTS.filter(({ to }) => isDashboard(to))])).toEqual([])
  })

  test('in the dashboard components and the like know no page', () => {
    const upward = DASHBOARD.flatMap(importsOf).filter(
      ({ from, to }) =>
        /^src\/dashboard\/(api|components|lib|theme|uploads)\//.test(from) &&
        /^src\/dashboard\/(frame|pages)\//.test(to),
    )
    expect(show(upward)).toEqual([])
  })

  test('no file imports itself through others at run time', () => {
    expect(findCycle(IMPORTS.filter((found) => isOurs(found) && !found.typeOnly))).toBeUndefined()
  })

  test('every file outside a known place is named here', () => {
    const folders = [
      'auth',
      'backup',
      'catalog',
      'cli',
      'client',
      'http',
      'jobs',
      'multipart',
      'storage',
      'transport',
      'volume',
      'zip',
      ...FEATURES,
    ].map(inFolder)
    const others = SOURCES.filter((path) => !folders.some((holds) => holds(path)))
    expect(others).toEqual([...ASSEMBLY, ...SHARED, 'src/methods.ts', 'src/problem.ts'].sort())
  })
})

/** The first circle of imports found, as a path that ends where it began. */
function findCycle(imports: Import[]): string[] | undefined {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const visit = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const { to } of targets.get(path) ?? []) {
      const cycle = visit(to, [...trail, path])
      if (cycle) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const path of targets.keys()) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return undefined
}
