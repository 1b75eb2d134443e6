import { XML_NAMESPACE, type XmlElement } from './read.ts'

/** Text that is XML already. */
export interface Xml {
  readonly xml: string
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}
/** Matches characters that no XML 1.0 text may have. */
const FORBIDDEN = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Escapes a text for an element or an attribute in double quotes. What XML cannot express becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? '').replace(FORBIDDEN, '\uFFFD')

/** Builds an element; texts and numbers in it are escaped. */
export function element(name: string, ...content: readonly (Xml | string | number)[]): Xml {
  return elementWith(name, {}, ...content)
}

/** Builds an element with attributes, such as those that declare namespaces. */
export function elementWith(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...content: readonly (Xml | string | number)[]
): Xml {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
  const inner = content
    .map((part) => (typeof part === 'object' ? part.xml : escapeXml(String(part))))
    .join('')
  const start = `<${name}${written.join('')}`
  return { xml: inner === '' ? `${start}/>` : `${start}>${inner}</${name}>` }
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Builds a document. */
export const xmlDocument = (root: Xml): string => `${XML_DECLARATION}${root.xml}`

/** Builds the response with a document. */
export const xmlResponse = (
  root: Xml,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(xmlDocument(root), {
    status,
    headers: { 'Content-Type': 'application/xml; charset=utf-8', ...headers },
  })

/** Writes an element that was read. Each element declares its namespace, so that the text stands anywhere. */
export function writeElement({ namespace, name, attributes, children }: XmlElement): Xml {
  const named: Record<string, string> = { xmlns: namespace }
  for (const [index, { namespace, name, value }] of attributes.entries()) {
    const prefix = namespace === XML_NAMESPACE ? 'xml' : `a${index}`
    if (namespace !== '' && prefix !== 'xml') named[`xmlns:${prefix}`] = namespace
    named[namespace === '' ? name : `${prefix}:${name}`] = value
  }
  return elementWith(
    name,
    named,
    ...children.map((child) => (typeof child === 'string' ? child : writeElement(child))),
  )
}
