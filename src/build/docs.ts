import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { colourCode } from '../api/code.ts'
import { type FrameAssets, framed, neighboursOf } from '../api/docs-frame.ts'
import type { Entry } from '../dashboard/docs/find.ts'
import { anchorRows, entriesOf, headingsOf } from './docs-sections.ts'

/** Folder of the documentation, below the root of the repository. */
const FOLDER = 'docs'
/** Page that lists the others. */
const INDEX = `${FOLDER}/README.md`
const LINK = /\[([^\]]+)\]\(([\w./-]+\.md)\)/g

/** Rendered page of the documentation. */
export interface DocPage {
  /** URL path: `/docs` or `/docs/<name>`. */
  path: string
  html: string
}

/** Rendered documentation. */
export interface Documentation {
  pages: DocPage[]
  /** Parts of the pages for the search. */
  entries: Entry[]
}

/** Files that pages load. The content of the search's entries is known after the pages. */
export interface PageAssets extends Omit<FrameAssets, 'entries'> {
  entries: (entries: Entry[]) => string
  /** Returns the URL path and the size of a picture; `undefined` when it does not exist. */
  picture: (name: string) => { path: string; width: number; height: number } | undefined
}

interface Source {
  /** Path below the root of the repository. */
  file: string
  path: string
  /** Name in lists of pages. */
  label: string
  title: string
  html: string
}

interface Group {
  title: string
  pages: Source[]
}

/**
 * Renders the documentation, one page for each file that its index links to, in the index's groups and order.
 *
 * @param root Root of the repository.
 * @throws when a linked file is missing.
 */
export function renderDocs(root: string, assets: PageAssets): Documentation {
  const parts = readFileSync(join(root, INDEX), 'utf8').split(/^## /m)
  const groups = parts.slice(1).map(
    (part): Group => ({
      title: part.split('\n', 1)[0] ?? '',
      pages: [...part.matchAll(LINK)].map(([, label = '', link = '']) =>
        readSource(root, posix.join(FOLDER, link), label),
      ),
    }),
  )
  const index = readSource(root, INDEX, 'Overview')
  const sources = [index, ...groups.flatMap(({ pages }) => pages)]
  for (const source of sources) source.html = withServed(source, sources, assets)
  const entries = sources.slice(1).flatMap(({ path, label, html }) => entriesOf(path, label, html))
  const frame = {
    assets: { ...assets, entries: assets.entries(entries) },
    sources,
    groups: [{ title: '', pages: [index] }, ...groups],
  }
  return { entries, pages: sources.map((source) => ({ path: source.path, html: toPage(source, frame) })) }
}

function readSource(root: string, file: string, label: string): Source {
  const markdown = readFileSync(join(root, file), 'utf8')
  const html = Bun.markdown.html(markdown, { headings: true, tables: true })
  return { file, label, html, path: pathOf(file), title: /^# (.+)$/m.exec(markdown)?.[1] ?? label }
}

const pathOf = (file: string) =>
  file === INDEX ? '/docs' : `/docs/${posix.basename(file, '.md').toLowerCase()}`

/** Returns a page's text with links, pictures, tables and code as the server serves them. */
const withServed = ({ file, html }: Source, all: readonly Source[], assets: PageAssets) =>
  withScrolling(anchorRows(colourCode(withPictures(withLinks(html, file, all), assets))))

/** Points links between pages at their URL paths, and turns links to other files of the repository into their names. */
const withLinks = (html: string, file: string, all: readonly Source[]) =>
  html.replace(/<a href="((?!https?:|#)[^"#]*)(#[^"]*)?">([\s\S]*?)<\/a>/g, (_, link, anchor = '', text) => {
    const target = posix.join(posix.dirname(file), link)
    const page = all.find((other) => other.file === target)
    return page ? `<a href="${page.path}${anchor}">${text}</a>` : `<code>${target}</code>`
  })

/** Gives pictures their sizes, and the ones of the dark theme where there are some. */
const withPictures = (html: string, { picture }: PageAssets) =>
  html.replace(/<p><img src="pictures\/([^"]+)" alt="([^"]*)" \/><\/p>/g, (_, name: string, alt: string) => {
    const light = picture(name)
    if (!light) throw new Error(`docs/pictures/${name} is missing`)
    const dark = picture(name.replace('-light-', '-dark-')) ?? light
    return ['light', 'dark']
      .map((theme) => {
        const { path, width, height } = theme === 'dark' ? dark : light
        return `<img class="${theme}" src="${path}" width="${width}" height="${height}" alt="${alt}" loading="lazy">`
      })
      .join('')
      .replace(/^.*$/s, '<figure>$&</figure>')
  })

/** Lets the keyboard reach what may be wider than the page. */
const withScrolling = (html: string) =>
  html
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(
      /<pre>([\s\S]*?)<\/pre>/g,
      '<div class="code"><pre tabindex="0" role="group" aria-label="Code">$1</pre></div>',
    )

interface Frame {
  assets: FrameAssets
  sources: Source[]
  groups: Group[]
}

function toPage(source: Source, { assets, sources, groups }: Frame): string {
  const list = { markup: groups.map((group) => listOf(group, source)).join('') }
  const sections = headingsOf(source.html)
  const contents = `<ul>${sections.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join('')}</ul>`
  const hasContents = sections.length > 1
  const [heading = '', ...rest] = source.html.split(/(?<=<\/h1>)/)
  const fold = `<details class="fold contents"><summary>On this page</summary><nav aria-label="Sections">${contents}</nav></details>`
  const aside = `<aside><nav aria-label="On this page"><strong>On this page</strong>${contents}</nav></aside>`
  const { markup } = neighboursOf(sources, sources.indexOf(source))
  return framed(
    {
      ...source,
      part: 'docs',
      list,
      folded: list,
      main: { markup: [heading, hasContents ? fold : '', rest.join(''), markup].join('\n') },
      aside: hasContents ? { markup: aside } : undefined,
    },
    assets,
  )
}

const linkTo = ({ path, label }: Source, current: Source) =>
  `<li><a href="${path}"${path === current.path ? ' aria-current="page"' : ''}>${Bun.escapeHTML(label)}</a></li>`

const listOf = ({ title, pages }: Group, current: Source) =>
  `${title && `<strong>${Bun.escapeHTML(title)}</strong>`}<ul>${pages.map((page) => linkTo(page, current)).join('')}</ul>`
