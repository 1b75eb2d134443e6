import { ASSETS_PREFIX, type Assets } from './assets.ts'
import { html, type Markup } from './html.ts'

/** URL paths of what each page of the documentation and of the API's reference loads. */
export interface FrameAssets {
  stylesheet: string
  font: string
  /** Blocking script that sets the chosen theme. */
  theme: string
  /** Script with the search and the buttons that copy code. */
  script: string
  /** JSON with the entries of the search in the documentation. */
  entries: string
  /** Logo as SVG. */
  logo: string
}

/** Returns the path of a file of the build whose name ends in a hash of its content; empty without one. */
export const builtPath = (paths: Iterable<string>, name: string, ending: string): string =>
  Iterator.from(paths).find((path) => new RegExp(`^${ASSETS_PREFIX}${name}-[^-]+\\.${ending}$`).test(path)) ??
  ''

/** Returns what the pages load from a build; empty paths when it was not built. */
export const frameAssets = (built: Assets, font: string): FrameAssets => ({
  font,
  stylesheet: builtPath(built.keys(), 'docs', 'css'),
  theme: builtPath(built.keys(), 'first-paint', 'js'),
  script: builtPath(built.keys(), 'docs', 'js'),
  entries: builtPath(built.keys(), 'docs-search', 'json'),
  logo: builtPath(built.keys(), 'icon', 'svg'),
})

interface Framed {
  title: string
  /** Part of the site: the documentation, or the reference of the API. */
  part: 'docs' | 'api'
  /** Name of the page in lists. */
  label: string
  /** List of pages beside the text, and the one that is folded on a phone. */
  list: Markup
  folded: Markup
  /** Content of the page, then what stands beside it. */
  main: Markup
  aside?: Markup | undefined
}

const PARTS = { docs: ['/docs', 'Docs'], api: ['/api/docs', 'API reference'] } as const

/** Renders a page of the documentation or of the API's reference in their common frame. */
export function framed(
  { title, part, label, list, folded, main, aside }: Framed,
  assets: FrameAssets,
): string {
  const [home, name] = PARTS[part]
  const link = ([path, text]: readonly [string, string]) =>
    html`<a href="${path}"${path === home ? html` aria-current="true"` : ''}>${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Holdfast</title>
${
  assets.stylesheet &&
  html`<script src="${assets.theme}"></script>
<link rel="preload" as="font" type="font/woff2" href="${assets.font}" crossorigin>
<link rel="stylesheet" href="${assets.stylesheet}">
<script src="${assets.script}" defer></script>`
}
</head>
<body class="${part}">
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="brand" href="${home}">${assets.logo && html`<img src="${assets.logo}" width="28" height="28" alt="">`}Holdfast <span>${name}</span></a>
<search data-entries="${assets.entries}" data-operations="/api/docs/search.json"></search>
<nav aria-label="Site">${Object.values(PARTS).map(link)}<a href="/">Dashboard</a></nav>
</header>
<details class="fold"><summary>Pages <span>${label}</span></summary><nav class="pages" aria-label="Pages">${folded}</nav></details>
<nav class="pages wide" aria-label="${name}">${list}</nav>
<main id="text" tabindex="-1">
${main}
</main>
${aside}
</body>
</html>
`.markup
}

interface Neighbour {
  path: string
  label: string
}

/** Renders links to the pages before and after a page. */
export function neighboursOf(pages: readonly Neighbour[], at: number): Markup {
  const link = (name: string, page: Neighbour | undefined) =>
    page &&
    html`<a class="${name.toLowerCase()}" href="${page.path}" rel="${name === 'Next' ? 'next' : 'prev'}"><small>${name}</small>${page.label}</a>`
  return html`<nav class="neighbours" aria-label="Neighbouring pages">${link('Previous', pages[at - 1])}${link('Next', pages[at + 1])}</nav>`
}
