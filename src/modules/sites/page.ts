import { html, type Markup } from '../../api/html.ts'

/** Page of Holdfast at the host of a site. */
interface SitePage {
  language: string
  title: string
  /** Rules of its style beside those of every page. */
  style: string
  body: Markup
}

/** Renders a page at the host of a site, which says nothing about the instance. */
export const sitePage = ({ language, title, style, body }: SitePage): string =>
  html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark }
body { display: grid; place-content: center; min-height: 90vh; margin: 0 1.5rem; font: 1.125rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.5rem; font-weight: 600 }
${{ markup: style }}
</style>
${body}
`.markup
