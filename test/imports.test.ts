import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
const ALL = [...new Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort()
const isDashboard = (path: string) => path.startsWith('src/dashboard/')
/** Sources of the server, without the build script. The dashboard runs in browsers and has its own rules. */
const SOURCES = ALL.filter((path) => !isDashboard(path) && !path.startsWith('src/build/'))
const DASHBOARD = ALL.filter(isDashboard)

const ASSEMBLY = [
  'src/main.ts',
  'src/server.ts',
  'src/waiting.ts',
  'src/app.ts',
  'src/modules.ts',
  ...SOURCES.filter((path) => path.startsWith('src/commands/')),
]
/** Folders that each folder may import, types included; a path ending in `.ts` allows that file only. */
const FLOORS: Record<string, readonly string[]> = {
  platform: [],
  http: ['platform'],
  multipart: ['platform'],
  zip: ['platform'],
  xml: [],
  sigv4: [],
  transport: ['platform', 'http'],
  catalog: ['platform', 'drizzle/migrations.ts', 'drizzle/postgres/migrations.ts'],
  volume: ['platform'],
  s3: ['platform', 'sigv4'],
  blobs: ['platform', 's3', 'volume'],
  store: ['platform', 'http', 'catalog', 'volume', 'blobs'],
  api: ['platform', 'http'],
  views: ['platform', 'http', 'store', 'api'],
  access: ['platform', 'http', 'store', 'api', 'views'],
  reception: ['platform', 'http', 'multipart', 'store', 'api', 'views', 'access'],
  modules: [
    'platform',
    'http',
    'multipart',
    'zip',
    'xml',
    'sigv4',
    'store',
    'api',
    'views',
    'access',
    'reception',
  ],
  cli: ['platform/amounts.ts', 'platform/listing.ts', 'zip', 'client'],
}
/** Parts of the catalog, each above those that it may import. */
const CATALOG: Record<string, readonly string[]> = {
  schema: [],
  engine: ['schema'],
  people: ['schema', 'engine'],
  tree: ['schema', 'engine'],
  shares: ['schema', 'engine', 'people'],
  instance: ['schema', 'engine', 'tree'],
  'publication.ts': ['schema', 'engine', 'people', 'tree', 'shares'],
  'tables.ts': ['engine', 'people', 'tree', 'shares', 'instance', 'publication.ts'],
}

interface Import {
  from: string
  to: string
  typeOnly: boolean
  /** True for `import(…)`, which loads a chunk of its own. */
  isLater: boolean
}

const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}

/** Returns the imports of a file: paths from the project's root, or package names. */
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
    isLater: later.includes(to),
  }))
}

const IMPORTS = SOURCES.flatMap(importsOf)

/** Returns the name of the module that a path belongs to; `undefined` for any other file. */
const moduleOf = (path: string) => /^src\/modules\/([^/.]+)/.exec(path)?.[1]

const inFolder = (folder: string) => (path: string) => path.startsWith(`src/${folder}/`)
const show = (broken: Import[]) => broken.map(({ from, to }) => `${from} -> ${to}`)

const isOurs = ({ to }: Import) => to.startsWith('src/')
const isProjectFile = ({ to }: Import) => /^(src|drizzle)\//.test(to)

describe('imports point one way', () => {
  test.each(Object.entries(FLOORS))('%s imports only the floors below it', (folder, below) => {
    const own = inFolder(folder)
    const isAllowed = (to: string) =>
      own(to) || below.some((place) => (place.endsWith('.ts') ? to.endsWith(place) : inFolder(place)(to)))
    const stray = IMPORTS.filter((found) => own(found.from) && isProjectFile(found) && !isAllowed(found.to))

    expect(show(stray)).toEqual([])
  })

  test('the engines of the store import what they share, and nothing of each other', () => {
    const shared = /^src\/store\/([a-z-]+|trash\/[a-z-]+)\.ts$/
    const stray = ['store/folder', 'store/objects'].flatMap((engine) =>
      IMPORTS.filter(
        ({ from, to }) =>
          inFolder(engine)(from) && inFolder('store')(to) && !inFolder(engine)(to) && !shared.test(to),
      ),
    )
    const upward = IMPORTS.filter(
      ({ from, to }) =>
        shared.test(from) &&
        /^src\/store\/(folder|objects|backup)\//.test(to) &&
        from !== 'src/store/store.ts',
    )
    expect(show([...stray, ...upward])).toEqual([])
  })

  test.each(Object.entries(CATALOG))('%s of the catalog imports only the parts below it', (part, below) => {
    const partOf = (path: string) => path.split('/')[2] ?? ''
    const own = IMPORTS.filter(({ from, to }) => inFolder('catalog')(from) && inFolder('catalog')(to))
    const stray = own.filter(
      ({ from, to }) => partOf(from) === part && ![part, ...below].includes(partOf(to)),
    )

    expect(show(stray)).toEqual([])
  })

  test('the client imports fflate, and of the server nothing but types', () => {
    const own = inFolder('client')
    const others = IMPORTS.filter(({ from, to, typeOnly }) => own(from) && !own(to) && !typeOnly)
    expect(show(others)).toEqual(['src/client/archive.ts -> fflate'])
  })

  test('no module imports another, but for shares, which hand bytes on to three of them', () => {
    const between = IMPORTS.flatMap(({ from, to }) => {
      const [own, other] = [moduleOf(from), moduleOf(to)]
      return own !== undefined && other !== undefined && own !== other ? [`${own} -> ${other}`] : []
    })
    expect([...new Set(between)].sort()).toEqual([
      'shares -> archives',
      'shares -> thumbnails',
      'shares -> uploads',
    ])
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
    const allowed =
      /(^src\/(app|api\/problem|api\/module|modules\/([a-z]+|shares\/uploads))\.ts|\/(routes|module|plugin|cookie)\.ts)$/
    expect(show(elysia.filter(({ from }) => !allowed.test(from)))).toEqual([])
  })

  test('the whole tree is opened only for jobs, visitors and what no limited caller may use', () => {
    const having = (pattern: RegExp) =>
      SOURCES.filter((path) => pattern.test(readFileSync(join(ROOT, path), 'utf8')))
    const opening = having(/\bwhole\((context|deps|\{)/)
    expect(opening).toEqual([
      'src/modules/changes/module.ts',
      'src/modules/folders/service.ts',
      'src/modules/invitations/module.ts',
      'src/modules/metrics.ts',
      'src/modules/people.ts',
      'src/modules/shares/receive.ts',
      'src/modules/sign-in/groups.ts',
      'src/modules/sites/module.ts',
      'src/modules/sites/respond.ts',
      'src/modules/trash/module.ts',
      'src/modules/uploads/module.ts',
      'src/modules/users/module.ts',
      'src/server.ts',
    ])
    expect(having(/\bEVERYTHING\b/)).toEqual([
      'src/access/caller.ts',
      'src/access/reach.ts',
      'src/catalog/engine/reach.ts',
      'src/catalog/tree/snapshot.ts',
      'src/modules/changes/feed.ts',
      'src/store/folder/engine.ts',
      'src/store/objects/engine.ts',
      'src/store/store.ts',
    ])
    expect(having(/\bnew Reach\(/)).toEqual(['src/access/reach.ts', 'src/catalog/engine/reach.ts'])
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

  test('the dashboard imports the client, kinds of files, folded text, the version, languages and orders, else types of the server, and the server nothing of it', () => {
    const shared = [
      'src/client/index.ts',
      'src/platform/kinds.ts',
      'src/platform/fold.ts',
      'src/platform/version.ts',
      'src/platform/languages.ts',
      'src/api/pages/speech.ts',
      'src/views/orders.ts',
    ]
    const fromServer = DASHBOARD.flatMap(importsOf).filter(
      (found) => isOurs(found) && !isDashboard(found.to) && !found.typeOnly && !shared.includes(found.to),
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

  test('a first visit loads only the texts that its pages show', () => {
    const atOnce = DASHBOARD.flatMap(importsOf).filter(({ typeOnly, isLater }) => !typeOnly && !isLater)
    const loaded = new Set(['src/dashboard/main.tsx'])
    for (const path of loaded) for (const { from, to } of atOnce) if (from === path) loaded.add(to)
    const texts = [...loaded].filter((path) => path.startsWith('src/dashboard/texts/'))
    expect(texts.sort()).toEqual(
      ['browse', 'trash', 'uploads'].map((name) => `src/dashboard/texts/${name}.ts`),
    )
  })

  test('bodies that are one file are received by one function, those of forms and archives beside it', () => {
    const counting = SOURCES.filter((path) =>
      /\bwhileArriving\(/.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    expect(counting).toEqual([
      'src/modules/archives/import.ts',
      'src/modules/files/upload.ts',
      ...['s3/parts', 'shares/receive', 'uploads/service', 'uploads/signed/receive'].map(
        (name) => `src/modules/${name}.ts`,
      ),
      'src/reception/body.ts',
    ])
  })

  test('no file imports itself through others, types included', () => {
    expect(findCycle([...IMPORTS, ...DASHBOARD.flatMap(importsOf)].filter(isOurs))).toBeUndefined()
  })

  test('every file is on a floor, in the client or among those that assemble the program', () => {
    const folders = [...Object.keys(FLOORS), 'client'].map(inFolder)
    const others = SOURCES.filter((path) => !folders.some((holds) => holds(path)))
    expect(others).toEqual(ASSEMBLY.toSorted())
  })
})

/** Returns the first circle of imports as a path that ends at its start. */
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
