import type { Entry } from '../dashboard/docs/find.ts'

/** Row of a table whose first cell is only the name of a variable. */
const ROW = /<tr><td><code>([A-Z][A-Z0-9_]+)<\/code><\/td>/g

/** Gives rows about a variable its name as their anchor. */
export const anchorRows = (html: string) =>
  html.replace(ROW, (_, name: string) => {
    const breakable = name.replaceAll('_', '_<wbr>')
    return `<tr id="${name}"><td><a href="#${name}"><code>${breakable}</code></a></td>`
  })

const ANCHORED_ROW = /<tr id="([^"]+)">([\s\S]*?)<\/tr>/g

/** Returns the sections of a page, and its rows about variables, as text. */
export function entriesOf(path: string, page: string, html: string): Entry[] {
  const sections = html.replace(ANCHORED_ROW, '').split(/(?=<h[1-6] id=)/)
  return [
    ...sections.map((section): Entry => {
      const [heading = '', id = '', level = '', title = ''] = /^<h\d id="([^"]+)"[^>]*>/.test(section)
        ? headingIn(section)
        : []
      const text = textOf(section.slice(heading.length))
      return level === '1' ? [path, page, '', text] : [`${path}#${id}`, page, title, text]
    }),
    ...[...html.matchAll(ANCHORED_ROW)].map(
      ([, id = '', row = '']): Entry => [`${path}#${id}`, page, id, textOf(row)],
    ),
  ].filter(([, , heading, text]) => heading !== '' || text !== '')
}

function headingIn(section: string): string[] {
  const [whole = '', level = '', id = '', title = ''] =
    /^<h(\d) id="([^"]+)"[^>]*>([\s\S]*?)<\/h\1>/.exec(section) ?? []
  return [whole, id, level, textOf(title)]
}

/** Returns the second-level headings of a page: their anchors, and their text as HTML. */
export const headingsOf = (html: string) =>
  [...html.matchAll(/<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g)].map(([, id = '', title = '']) => ({
    id,
    text: title.replace(/<\/?a[^>]*>/g, ''),
  }))

/** Returns HTML as text, with one space between words. */
const textOf = (html: string) =>
  unescapeHtml(html.replace(/<[^>]+>/g, (tag) => (/^<\/?(code|a|strong|em|span|wbr)\b/.test(tag) ? '' : ' ')))
    .replace(/\s+/g, ' ')
    .trim()

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

/** Returns text of HTML with the characters that the renderer escapes. */
const unescapeHtml = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (entity, name: string) => ENTITIES[name] ?? entity)
