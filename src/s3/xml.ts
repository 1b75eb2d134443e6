/** Element of a response: its text, or the elements in it. */
export interface XmlElement {
  name: string
  text: string
  children: readonly XmlElement[]
}

/** Maximum depth of elements. S3 nests three. */
const MAX_DEPTH = 8

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** One token: a declaration, a closing tag, an opening or empty tag with attributes, or text. */
const TOKEN =
  /<\?xml[^<>]*\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y

/**
 * Parses an XML document of the kind that S3 sends. Attributes are ignored. Doctypes, comments, CDATA and own
 * entities are refused, because S3 sends none and they are what attacks are made of.
 *
 * @param root Expected name of the outermost element.
 * @returns `undefined` when the document is no such XML, or ends too early.
 */
export function parseXml(text: string, root: string): XmlElement | undefined {
  const document: XmlElement & { children: XmlElement[] } = { name: '', text: '', children: [] }
  const open = [document]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)
    const current = open.at(-1)
    if (!token || !current || open.length > MAX_DEPTH) return undefined
    const [all, closed, opened, , isEmpty] = token
    if (closed !== undefined) {
      if (open.length === 1 || current.name !== closed) return undefined
      open.pop()
    } else if (opened !== undefined) {
      const element = { name: opened, text: '', children: [] }
      current.children.push(element)
      if (!isEmpty) open.push(element)
    } else if (!all.startsWith('<?')) {
      const decoded = decode(all)
      if (decoded === undefined || (current === document && decoded.trim() !== '')) return undefined
      current.text += decoded
    }
  }
  const [found, ...others] = document.children
  return open.length === 1 && others.length === 0 && found?.name === root ? found : undefined
}

/** Replaces the five entities of XML and character references; `undefined` when there is another `&`. */
function decode(text: string): string | undefined {
  let isValid = true
  const decoded = text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));|&/g, (_, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
    const character =
      code === undefined ? ENTITIES[name] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined
    isValid &&= character !== undefined
    return character ?? ''
  })
  return isValid ? decoded : undefined
}

/** Returns the text of the first element `name` in `element`; `undefined` when there is none. */
export const textOf = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text

/** Returns the elements `name` in `element`. */
export const elementsOf = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name)

/** Writes an element with escaped text, or with elements that are written already. */
export const writeElement = (name: string, content: string | readonly string[]): string =>
  `<${name}>${typeof content === 'string' ? escapeText(content) : content.join('')}</${name}>`

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
