import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Name of the page that lists the others. */
const INDEX = 'README'
const LINK = /\[[^\]]+\]\(([\w-]+)\.md\)/g

/** Rendered page of the documentation. */
export interface DocPage {
  /** URL path: `/docs` or `/docs/<name>`. */
  path: string
  html: string
}

interface Source {
  name: string
  title: string
  markdown: string
}

/**
 * Renders the documentation in `folder`, one page for each file that its index links to, in that order.
 *
 * @param stylesheet URL path of the style sheet.
 * @throws when a linked file is missing.
 */
export function renderDocs(folder: string, stylesheet: string): DocPage[] {
  const names = [INDEX, ...linkedNames(readFileSync(join(folder, `${INDEX}.md`), 'utf8'))]
  const sources = names.map((name): Source => {
    const markdown = readFileSync(join(folder, `${name}.md`), 'utf8')
    return { name, markdown, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name }
  })
  return sources.map((source) => ({ path: pathOf(source.name), html: toHtml(source, sources, stylesheet) }))
}

const linkedNames = (markdown: string) => new Set([...markdown.matchAll(LINK)].map(([, name = '']) => name))

const pathOf = (name: string) => (name === INDEX ? '/docs' : `/docs/${name}`)

function toHtml({ name, title, markdown }: Source, all: readonly Source[], stylesheet: string): string {
  const links = all.map(
    (other) =>
      `<a href="${pathOf(other.name)}"${other.name === name ? ' aria-current="page"' : ''}>${Bun.escapeHTML(other.title)}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)} · Holdfast</title>
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
<nav aria-label="Documentation">${links.join('\n')}</nav>
<main>
${withScrolling(withServedLinks(Bun.markdown.html(markdown, { headings: true, tables: true })))}
</main>
</body>
</html>
`
}

/** Lets the keyboard reach what may be wider than the page. */
const withScrolling = (html: string) =>
  html
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0" role="group" aria-label="Code">')

/** Points links between pages at their URL paths, and turns links to other files of the repository into their names. */
const withServedLinks = (html: string) =>
  html
    .replace(
      /href="([\w-]+)\.md(#[^"]*)?"/g,
      (_, name: string, anchor = '') => `href="${pathOf(basename(name))}${anchor}"`,
    )
    .replace(/<a href="\.\.\/[^"]*">([^<]*)<\/a>/g, '<code>$1</code>')
