import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { MAIN_FONT } from '../src/api/assets.ts'
import { configurationPage } from '../src/build/configuration.ts'
import { type Entry, findEntries } from '../src/dashboard/docs/find.ts'
import { builtAssets } from '../src/modules/web/built.ts'
import { Environment } from '../src/platform/environment.ts'
import { ERROR_CODES } from '../src/platform/error-codes.ts'
import { startWithAccount, withInside } from './support/fixture.ts'
import { programCommand } from './support/program.ts'

const ROOT = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const DOCUMENTS = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...PAGES]

test('the configuration page is the one that the schema generates', () => {
  expect(read('docs/configuration.md')).toBe(configurationPage())
})

test('the page of the API lists each code of a failure with its status and meaning', () => {
  const [, , section = ''] = /\n(## Codes of failures)\n([\s\S]*?)\n## /.exec(read('docs/api.md')) ?? []
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toEqual(
    Object.entries(ERROR_CODES).map(
      ([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`,
    ),
  )
})

test('the README has at most 900 words', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(900)
})

test('the first session of the README stores, signs and shares a file, though new files are private', async () => {
  await using holdfast = await startWithAccount({ environment: { DEFAULT_FILE_VISIBILITY: 'private' } })
  const { key } = holdfast
  const [, section = ''] = /## First session\n([\s\S]*?)\n## /.exec(read('README.md')) ?? []
  const script = [...section.matchAll(/```console\n([\s\S]*?)```/g)]
    .map(([, session = '']) => session)
    .join('')
    .replaceAll(/^\$ /gm, '')
    .replace('hf_…', key)
    .replaceAll('localhost:3000', `localhost:${holdfast.port}`)
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-session-'))
  const holdfastCommand = `holdfast() { ${programCommand()
    .map((word) => `'${word}'`)
    .join(' ')} "$@"; }\n`

  const child = Bun.spawn(['sh', '-ec', holdfastCommand + script], {
    cwd,
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: cwd },
    stdin: new Blob([key]),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const printed = await new Response(child.stdout).text()
  rmSync(cwd, { recursive: true })

  expect(await child.exited).toBe(0)
  expect(printed).toEndWith('Hello, world\n')
  const [address = '', link = '', page = ''] = printed.split('\n')
  expect((await fetch(address)).status).toBe(404)
  expect(link).toMatch(/^http:\/\/localhost:\d+\/api\/hosting\/notes\/hello\.txt\?exp=/)
  expect(await (await fetch(link)).text()).toBe('Hello, world\n')
  expect(await (await fetch(page)).text()).toContain('hello.txt')
})

/**
 * Features that pages may say are missing: the words for one, and a path of the API or a variable that exists only with
 * it. A new feature on such a list gets a line here.
 */
const FEATURES: readonly [words: RegExp, sign: RegExp][] = [
  [/\bsearch\b(?! in contents)/i, /^\/api\/search$/],
  [/\bversion(s|ing)\b/i, /^\/api\/files\/versions$/],
  [/\btrash\b/i, /^\/api\/trash$/],
  [/\b(single\s+folders|home folders?|scope\b)/i, /^\/api\/folders\/people$/],
  [/\b(events|webhooks?)\b/i, /^\/api\/webhooks$/],
  [/\binvit/i, /^\/api\/invitations$/],
  [/\bquotas?\b/i, /^\/api\/users\/quota$/],
  [/\bthumbnails?\b/i, /^\/api\/files\/thumbnail/],
  [/\b(note|password|embeds?|short URLs)\b/i, /^\/api\/shares$/],
  [/\b(drop box|guest|without an account)\b/i, /^\/api\/s\/\{slug\}\/uploads$/],
  [/\b(several|many) (servers|machines)\b|\bone machine\b/i, /^DATABASE_URL$/],
  [/\bobject store\b/i, /^S3_ENDPOINT$/],
  [/\bCORS\b/i, /^CORS_/],
  [/\bsingle sign-on\b|\bO(IDC|Auth)\b/i, /oidc|oauth|sso/i],
  [/\b(second|two)[ -]factor\b|\bTOTP\b/i, /two-?factor|totp/i],
  [/\bpasskeys?\b/i, /passkey/i],
  [/\bWebDAV\b/i, /^\/dav\b|webdav/i],
  [/\bS3 API\b/i, /^RATE_LIMIT_S3$/],
  [/\b(TLS|ACME)\b/, /^HTTPS_PORT$/],
  [/\bSPA\b|\bcustom domains\b/i, /^SITES_DOMAIN$/],
  [/\btranslations\b/i, /^docs\/languages\.md$/],
  [/\bfetch by URL\b/i, /^\/api\/fetches\b/],
  [/\btags\b/i, /\/tags\b/],
  [/\bfavou?rites\b/i, /^\/api\/favorites$/],
]

/** Returns the cells of the rows of the comparison. */
const comparison = () =>
  [...read('docs/compare.md').matchAll(/^\| ([^|]+ \|.+) \|$/gm)].map(([, cells = '']) =>
    cells.split(' | ').map((cell) => cell.trim()),
  )

/** Returns what the pages say is missing: first cells of rows with "not available" or "no", and items of two lists. */
function deniedFeatures(): string[] {
  const rows = PAGES.filter((path) => path.includes('coming-from')).flatMap((path) =>
    [...read(path).matchAll(/^\| ([^|]+) \|.*\*\*not available\*\*.*\|$/gm)].map(([, what = '']) => what),
  )
  const [, security = ''] = /## What it doesn't do\n([\s\S]*?)\n## /.exec(read('SECURITY.md')) ?? []
  const [, elsewhere = ''] = /\*\*Look elsewhere[^*]*\*\*([\s\S]*?)\n\n/.exec(read('README.md')) ?? []
  const items = [...security.matchAll(/^- \*\*.*$/gm)].map(([item]) => item)
  const compared = comparison().flatMap(([what = '', ours]) => (/^no\b/.test(ours ?? '') ? [what] : []))
  return [...rows, ...compared, ...items, elsewhere]
}

test('no page says that a feature is missing which the server has', async () => {
  await using holdfast = await startWithAccount()
  const { paths } = (await (await holdfast.fetch('/api/openapi.json')).json()) as { paths: object }
  const there = [...Object.keys(paths), ...Object.keys(Environment.properties), ...PAGES]
  const denied = deniedFeatures()

  expect(denied.length).toBeGreaterThan(8)
  expect(denied.filter((text) => text === '')).toEqual([])
  for (const [words, sign] of FEATURES)
    if (there.some((name) => sign.test(name))) expect(denied.filter((text) => words.test(text))).toEqual([])
})

test('the comparison counts its rows, of which one with two things counts when both are there', () => {
  const rows = comparison()
  const counted = (column: number) => {
    const parts = rows.map((row) => row[column]?.split(' / ') ?? [])
    const isWhole = (row: string[]) => row.every((part) => part === 'yes')
    const some = parts.filter((row) => !isWhole(row) && row.some((part) => /^(yes|partly)$/.test(part)))
    return [parts.filter(isWhole).length, some.length]
  }
  const [said = ''] = /\*\*Of 87 rows.*?\*\*/.exec(read('docs/compare.md')) ?? []

  expect(rows).toHaveLength(87)
  expect([...said.matchAll(/(\d+) and (?:part of )?(\d+)/g)].map(([, ...both]) => both.map(Number))).toEqual(
    [1, 2, 3].map(counted),
  )
})

test.each(['docs/install.md', 'docs/backup.md', 'docs/cli.md'])(
  '%s has its commands for npm and for Bun',
  (path) => {
    const text = read(path)

    expect(text).toContain('`npm start -- backup ')
    expect(text).toContain('`bun run start backup ')
  },
)

test('the decisions name every dependency of the program with its licence, and those of the preview', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
    dependencies: object
    devDependencies: object
  }
  const withLicence = (name: string) => {
    const { license } = JSON.parse(read(`node_modules/${name}/package.json`)) as { license: string }
    return `${name} ${license}`
  }
  const [, section = ''] = read('docs/decisions.md').split('\n## ')
  const [, program = [], preview = []] = section
    .split('\n| package |')
    .map((table) => [...table.matchAll(/^\| ([@a-z][^ ]*) \| ([^ ]+) \|/gm)])
  const textOf = ([, name, licence]: RegExpExecArray | RegExpMatchArray) => `${name} ${licence}`

  expect(program.map(textOf)).toEqual(Object.keys(dependencies).map(withLicence).sort())
  const names = preview.map(([, name = '']) => name)
  expect(names.filter((name) => !(name in devDependencies))).toEqual([])
  expect(preview.map(textOf)).toEqual(names.map(withLicence))
  expect(names).toContain('pdfjs-dist')
})

describe.each(DOCUMENTS)('%s', (path) => {
  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const named = [...read(path).matchAll(/(?:bun|npm) run ([\w:]*\w)/g)].map(([, name]) => name)

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named)]))
  })

  test('gives npm the arguments of a script after two hyphens', () => {
    const wrong = [...read(path).matchAll(/npm run [\w:]*\w(?! -- ) [-<\w/][^`\n]*`/g)].map(([text]) => text)

    expect(wrong).toEqual([])
  })

  test('links to files and headings that exist', () => {
    const links = [...read(path).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)].map(([, link = '']) => link)
    const broken = links.filter((link) => !/^https?:/.test(link) && !isThere(path, link))

    expect(broken).toEqual([])
  })
})

test('every picture is shown by a page, or by its twin in the dark theme', () => {
  const shown = DOCUMENTS.map(read).join('\n')
  const isShown = (name: string) => shown.includes(name) || shown.includes(name.replace('-dark-', '-light-'))

  expect(readdirSync(join(ROOT, 'docs/pictures')).filter((name) => !isShown(name))).toEqual([])
})

function isThere(from: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const path = file === '' ? from : join(dirname(from), file)
  return existsSync(join(ROOT, path)) && (heading === undefined || headingsOf(path).includes(heading))
}

const headingsOf = (path: string) =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  )

describe('the documentation of a running server', () => {
  const holdfast = withInside({ dashboard: builtAssets() })

  test('has a page for each file, linked from the index', async () => {
    const index = await holdfast.fetch('/docs')
    expect(index.status).toBe(200)
    const text = await index.text()

    for (const page of PAGES.filter((name) => name !== 'docs/README.md')) {
      const path = `/${page.replace(/\.md$/, '')}`
      expect(text).toContain(`href="${path}"`)
      const response = await holdfast.fetch(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })

  test('has the icon that browsers request for pages without one', async () => {
    const { status, headers } = await holdfast.fetch('/favicon.ico')
    const policy = async (path: string) => (await holdfast.fetch(path)).headers.get('content-security-policy')

    expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
    for (const path of ['/docs', '/api/docs', '/s/none'])
      expect(await policy(path)).toContain("img-src 'self'")
  })

  test('comes with fonts that a page of any origin may load, and no other files of that kind', async () => {
    const allowed = async (path: string) =>
      (await holdfast.fetch(path)).headers.get('access-control-allow-origin')

    expect(await allowed(MAIN_FONT)).toBe('*')
    expect([await allowed('/docs'), await allowed('/favicon.ico'), await allowed('/')]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('loads nothing but files of this server, whose names change with their content', async () => {
    const text = await (await holdfast.fetch('/docs/operate')).text()
    const loaded = [...text.matchAll(/(?:\ssrc|data-entries|<link [^>]*href)="([^"]+)"/g)].map(
      ([, path = '']) => path,
    )

    expect(loaded.length).toBeGreaterThan(8)
    for (const path of loaded) {
      const { status, headers } = await holdfast.fetch(path)
      expect([path, status, headers.get('cache-control')]).toEqual([
        path,
        200,
        expect.stringContaining('immutable'),
      ])
    }
    expect(text).not.toContain('.md"')
  })

  test('lists its pages in the groups and the order of the index, each with the next one', async () => {
    const listOf = (text: string) =>
      [
        ...(/<nav class="pages wide"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '').matchAll(
          /<strong>(.+?)<\/strong>|href="(.+?)"/g,
        ),
      ].map(([, group, path]) => group ?? path ?? '')
    const list = listOf(await (await holdfast.fetch('/docs')).text())
    const pages = list.filter((item) => item.startsWith('/'))

    expect(list.filter((item) => !item.startsWith('/'))).toEqual([
      'Install',
      'Use',
      'Operate',
      'Reference',
      'Internals',
    ])
    expect(pages).toEqual(expect.arrayContaining(['/docs/security', '/docs/changelog']))
    for (const [index, path] of pages.entries()) {
      const text = await (await holdfast.fetch(path)).text()
      expect(listOf(text)).toEqual(list)
      expect(/<a class="next" href="([^"]+)"/.exec(text)?.[1]).toBe(pages[index + 1])
    }
  })

  test('is found at addresses with a slash at their end and at the names of its files', async () => {
    const found = async (path: string) => {
      const { status, headers } = await holdfast.fetch(path, { redirect: 'manual' })
      return [status, headers.get('location')]
    }

    expect(await found('/docs/')).toEqual([308, '/docs'])
    expect(await found('/docs/install/')).toEqual([308, '/docs/install'])
    expect(await found('/docs/install.md')).toEqual([308, '/docs/install'])
    expect((await found('/docs/none/'))[0]).toBe(404)
  })

  test('has a search that leads to headings and to variables', async () => {
    const text = await (await holdfast.fetch('/docs')).text()
    const [, path = ''] = /data-entries="([^"]+)"/.exec(text) ?? []
    const entries = (await (await holdfast.fetch(path)).json()) as Entry[]
    const first = (query: string) => findEntries(entries, query, 1)[0]?.entry[0]

    expect(first('TRUST_PROXY')).toBe('/docs/configuration#TRUST_PROXY')
    expect(first('trust_proxy')).toBe('/docs/configuration#TRUST_PROXY')
    expect(first('reverse proxy')).toBe('/docs/operate#behind-a-reverse-proxy')
    expect(first('webhooks')).toBe('/docs/webhooks')
    expect(first('canWrite a share is a drop box')).toBe('/docs/api#shares')
    expect(first('x'.repeat(40))).toBeUndefined()
    const pages = new Map<string, string>()
    for (const [target] of entries) {
      const [page = '', id] = target.split('#')
      pages.set(page, pages.get(page) ?? (await (await holdfast.fetch(page)).text()))
      expect(pages.get(page)).toContain(id === undefined ? '<h1' : `id="${id}"`)
    }
  })

  test('shows excerpts that begin and end between words, with the words marked', () => {
    const entry: Entry = ['/docs/a', 'A', 'B', `${'first '.repeat(20)}a Needle in hay ${'last '.repeat(40)}`]
    const [found] = findEntries([entry], 'needle', 5)
    const excerpt = found?.excerpt ?? []

    expect(excerpt[1]).toBe('Needle')
    expect(excerpt[0]).toMatch(/^… (first )+a $/)
    expect(excerpt[2]).toMatch(/^ in hay (last )*last …$/)
  })
})
