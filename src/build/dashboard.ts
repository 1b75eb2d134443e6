import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { ASSETS_PREFIX, MAIN_FONT, MANIFEST, type ManifestEntry, VISITOR_SCRIPTS } from '../api/assets.ts'
import { builtPath } from '../api/docs-frame.ts'
import type { Entry } from '../dashboard/docs/find.ts'
import { FIELD } from '../dashboard/received/cache.ts'
import { indexPath, withSession } from '../modules/web/serve.ts'
import { LANGUAGES } from '../platform/languages.ts'
import { renderDocs } from './docs.ts'
import { drawIcon } from './icons.ts'

/**
 * Root of the repository. This script bundles the dashboard and the documentation into `dist/dashboard`. It
 * fails when a first visit loads too much.
 */

const ROOT = join(import.meta.dir, '../..')
const OUT = join(ROOT, 'dist/dashboard')
const FONTS = join(ROOT, 'src/dashboard/theme/fonts')
const INDEX = 'index.html'
/** Service worker of files that other apps share. */
const RECEIVER = 'received.js'
/**
 * Maximum compressed size in bytes of what a first visit loads before the list of a folder is shown, the Files page
 * included. The whole visit may take 112 KiB; headers and the API's answers take about 5 of them.
 */
const FIRST_LOAD_LIMIT = 106 * 1024

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** Languages beside English, whose texts are in the dashboard's own scripts. */
const TRANSLATED = Object.keys(LANGUAGES).filter((language) => language !== 'en')

interface BuiltFile {
  name: string
  /** URL path. */
  path: string
  bytes: Uint8Array<ArrayBuffer>
  brotli: Uint8Array
  gzip: Uint8Array
}

const COMMON = { target: 'browser', minify: true, publicPath: ASSETS_PREFIX } as const

async function bundle(): Promise<BuiltFile[]> {
  const app = await Bun.build({
    ...COMMON,
    entrypoints: [join(ROOT, 'src/dashboard', INDEX)],
    splitting: true,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    // The bundler would inline fonts into the style sheet, which the page's policy forbids.
    external: [`${ASSETS_PREFIX}*`],
  })
  // Built separately, because the bundler joins all scripts of a page into one module, which does not block.
  const blocking = await Bun.build({
    ...COMMON,
    entrypoints: [join(ROOT, 'src/dashboard/theme/first-paint.ts')],
    format: 'iife',
    naming: '[name]-[hash].[ext]',
  })
  // Read by the pages of shares, which are no part of the dashboard.
  const visitor = await Promise.all(
    Object.entries(VISITOR_SCRIPTS).map(([name, path]) =>
      Bun.build({
        ...COMMON,
        entrypoints: [join(ROOT, `src/dashboard/visitor/${name}.ts`)],
        format: 'iife',
        naming: basename(path),
      }),
    ),
  )
  // Its path is its scope, and must stay.
  const received = await Bun.build({
    ...COMMON,
    entrypoints: [join(ROOT, 'src/dashboard/received/worker.ts')],
    format: 'iife',
    naming: RECEIVER,
  })
  const scripts = blocking.outputs.map(({ path }) => basename(path))
  const fonts = [...new Bun.Glob('*.woff2').scanSync(FONTS)]
  const installed = await installation()
  const files = [
    ...[app, blocking, ...visitor, received]
      .flatMap(({ outputs }) => outputs)
      .map((output) => ({ name: basename(output.path), file: output })),
    ...fonts.map((name) => ({ name, file: Bun.file(join(FONTS, name)) })),
  ]
  const bundled = await Promise.all(
    files.map(async ({ name, file }) => {
      const bytes = new Uint8Array(await file.arrayBuffer())
      return compress(pathOf(name), name === INDEX ? await addEarly(bytes, { scripts, ...installed }) : bytes)
    }),
  )
  const index = bundled.find(({ name }) => name === INDEX)
  const translated =
    index && (await Promise.all(TRANSLATED.map((language) => translate(index.bytes, language))))
  const made = [...bundled, ...(translated ?? []).flat()]
  return [...made, ...made.filter(({ name }) => name.endsWith('.html')).map(ofSession), ...installed.files]
}

/** Returns a page for requests with a session, in which the frame of signed-in accounts is seen first. */
const ofSession = ({ path, name, bytes }: BuiltFile): BuiltFile => {
  const page = new TextDecoder().decode(bytes).replace('<html ', '<html class="is-signed-in" ')
  return compress(withSession(path), new TextEncoder().encode(page), `signed-in-${name}`)
}

interface Early extends Pick<Installation, 'manifest' | 'touchIcon'> {
  scripts: string[]
}

/** Adds blocking scripts and the main font before the style sheet, so that they wait for nothing else. */
async function addEarly(
  page: Uint8Array<ArrayBuffer>,
  { scripts, manifest, touchIcon }: Early,
): Promise<Uint8Array<ArrayBuffer>> {
  const tags = [
    ...scripts.map((name) => `<script src="${ASSETS_PREFIX}${name}"></script>`),
    // The others load with a page that shows one of their letters.
    `<link rel="preload" as="font" type="font/woff2" href="${MAIN_FONT}" crossorigin>`,
    `<link rel="manifest" href="${manifest}"><link rel="apple-touch-icon" href="${touchIcon}">`,
  ]
  const rewriter = new HTMLRewriter().on('title', {
    element: (title) => void title.after(tags.join(''), { html: true }),
  })
  return new Uint8Array(await rewriter.transform(new Response(page)).arrayBuffer())
}

/**
 * Returns the texts of a language, and the index with them. Deferred scripts and modules run in the order of the page,
 * so the texts are there first.
 */
async function translate(page: Uint8Array<ArrayBuffer>, language: string): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({
    ...COMMON,
    entrypoints: [join(ROOT, 'src/dashboard/texts', language, 'index.ts')],
    format: 'iife',
  })
  const bytes = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? [])
  const script = compress(`${ASSETS_PREFIX}${language}-${Bun.hash(bytes).toString(36)}.js`, bytes)
  const rewriter = new HTMLRewriter()
    .on('html', { element: (root) => void root.setAttribute('lang', language) })
    .on('title', {
      element: (title) => void title.after(`<script defer src="${script.path}"></script>`, { html: true }),
    })
  const html = new Uint8Array(await rewriter.transform(new Response(page)).arrayBuffer())
  return [script, compress(indexPath(language), html, `index-${language}.html`)]
}

/** Manifest and icons with which a browser installs the dashboard as an app. */
interface Installation {
  /** URL path. */
  manifest: string
  /** URL path of the icon for systems that read no manifest. */
  touchIcon: string
  files: BuiltFile[]
}

async function installation(): Promise<Installation> {
  const svg = await Bun.file(join(ROOT, 'src/dashboard/icon.svg')).text()
  const named = (name: string, ending: string, bytes: Uint8Array<ArrayBuffer>) =>
    compress(`${ASSETS_PREFIX}${name}-${Bun.hash(bytes).toString(36)}.${ending}`, bytes)
  const icons = [192, 512].map((size) => ({ size, file: named(`icon-${size}`, 'png', drawIcon(svg, size)) }))
  const content = {
    name: 'Holdfast',
    id: '/',
    start_url: '/',
    display: 'standalone',
    theme_color: '#efede6',
    background_color: '#f7f6f2',
    share_target: {
      action: `${ASSETS_PREFIX}receive`,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: FIELD, accept: ['*/*'] }] },
    },
    icons: icons.flatMap(({ size, file: { path } }) =>
      ['any', 'maskable'].map((purpose) => ({
        src: path,
        type: 'image/png',
        sizes: `${size}x${size}`,
        purpose,
      })),
    ),
  }
  const manifest = named('app', 'webmanifest', new TextEncoder().encode(JSON.stringify(content)))
  return {
    manifest: manifest.path,
    touchIcon: icons[0]?.file.path ?? '',
    // Browsers request this path for pages that name no icon, which those beside the dashboard do not.
    files: [
      manifest,
      ...icons.map(({ file }) => file),
      compress('/favicon.ico', drawIcon(svg, 48), 'favicon.png'),
    ],
  }
}

const pathOf = (name: string) => (name === INDEX ? '/' : `${ASSETS_PREFIX}${name}`)

/** Renders the documentation: its pages, and what they load under names that change with their content. */
async function documentation(bundled: readonly BuiltFile[]): Promise<BuiltFile[]> {
  const paths = bundled.map(({ path }) => path)
  const loaded = new Map<string, BuiltFile>()
  const add = (name: string, bytes: Uint8Array<ArrayBuffer>): string => {
    const path = `${ASSETS_PREFIX}${name.replace(/(?=\.\w+$)/, `-${Bun.hash(bytes).toString(36)}`)}`
    loaded.set(path, loaded.get(path) ?? compress(path, bytes))
    return path
  }
  const text = (content: string) => new TextEncoder().encode(content)
  const { outputs } = await Bun.build({
    ...COMMON,
    entrypoints: [join(ROOT, 'src/dashboard/docs/docs.ts')],
    format: 'iife',
  })
  const pictures = await picturesOf(join(ROOT, 'docs/pictures'))
  const { pages } = renderDocs(ROOT, {
    theme: builtPath(paths, 'first-paint', 'js'),
    logo: builtPath(paths, 'icon', 'svg'),
    font: MAIN_FONT,
    stylesheet: add('docs.css', await Bun.file(join(import.meta.dir, 'docs.css')).bytes()),
    script: add('docs.js', text((await outputs[0]?.text()) ?? '')),
    entries: (entries: Entry[]) => add('docs-search.json', text(JSON.stringify(entries))),
    picture: (name) => {
      const found = pictures.get(name)
      return found && { ...found, path: add(name, found.bytes) }
    },
  })
  return [
    ...loaded.values(),
    ...pages.map(({ path, html }) => compress(path, text(html), `${path.slice(1)}.html`)),
  ]
}

/** Reads pictures with their sizes. */
async function picturesOf(folder: string) {
  const read = async (name: string) => {
    const bytes = await Bun.file(join(folder, name)).bytes()
    const { width, height } = await new Bun.Image(bytes).metadata()
    return [name, { bytes, width, height }] as const
  }
  return new Map(await Promise.all([...new Bun.Glob('*-1440.webp').scanSync(folder)].map(read)))
}

function compress(path: string, bytes: Uint8Array<ArrayBuffer>, name = basename(path) || INDEX): BuiltFile {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  return {
    name: name.replaceAll('/', '-'),
    path,
    bytes,
    brotli: brotliCompressSync(bytes, { params }),
    gzip: gzipSync(bytes, { level: 9 }),
  }
}

const isWorthIt = ({ bytes, gzip }: BuiltFile) => gzip.length < bytes.length * 0.9

const entryOf = (file: BuiltFile): ManifestEntry => ({
  path: file.path,
  file: file.name,
  type: TYPES[extname(file.name)] ?? 'application/octet-stream',
  isImmutable: file.path.startsWith(ASSETS_PREFIX) && file.name !== RECEIVER,
  isCompressed: isWorthIt(file),
  digest: createHash('sha256').update(file.bytes).digest('base64url').slice(0, 22),
})

async function write(files: BuiltFile[]): Promise<void> {
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT, { recursive: true })
  for (const file of files) {
    await Bun.write(join(OUT, file.name), file.bytes)
    if (!isWorthIt(file)) continue
    await Bun.write(join(OUT, `${file.name}.br`), file.brotli)
    await Bun.write(join(OUT, `${file.name}.gz`), file.gzip)
  }
  await Bun.write(join(OUT, MANIFEST), JSON.stringify(files.map(entryOf), null, 2))
}

/** Returns the files of a first visit: those that the index names, and their static imports. */
function firstLoad(files: BuiltFile[]): Set<BuiltFile> {
  const found = new Set<BuiltFile>()
  const visit = (file: BuiltFile) => {
    if (found.has(file)) return
    found.add(file)
    const text = new TextDecoder().decode(file.bytes)
    const isNamed = ({ name }: BuiltFile) =>
      file.name === INDEX ? text.includes(name) : importsAtOnce(text, name)
    for (const other of files) if (isNamed(other)) visit(other)
  }
  const index = files.find(({ name }) => name === INDEX)
  if (index) visit(index)
  return found
}

/** True for a static import. A dynamic `import("name")` waits until it is needed. */
const importsAtOnce = (text: string, name: string) =>
  new RegExp(`(from|import)\\s*"[^"]*${RegExp.escape(name)}"`).test(text)

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1).padStart(7)} KiB`

const files = await bundle()
await write([...files, ...(await documentation(files))])
const first = firstLoad(files)
for (const file of files.toSorted((a, b) => b.brotli.length - a.brotli.length)) {
  console.log(`${kib(file.brotli.length)}  ${first.has(file) ? 'first' : 'later'}  ${file.name}`)
}
const total = [...first].reduce((sum, { brotli }) => sum + brotli.length, 0)
console.log(`${kib(total)}  first load, compressed (at most ${FIRST_LOAD_LIMIT / 1024})`)
if (total > FIRST_LOAD_LIMIT) process.exitCode = 1
