/** Attribute of an element, without those that declare namespaces. */
export interface XmlAttribute {
  /** Empty for an attribute without a prefix. */
  namespace: string
  name: string
  value: string
}

/** Element with its name resolved (Namespaces in XML 1.0). */
export interface XmlElement {
  /** Empty for an element in no namespace. */
  namespace: string
  /** Local name. */
  name: string
  attributes: readonly XmlAttribute[]
  /** Elements, and texts between them. */
  children: readonly (XmlElement | string)[]
}

/** Error of a text that is not well-formed, or beyond the limits. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

/** Namespace of the prefix `xml`, which needs no declaration. */
export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

/** Maximum nesting, because reading is recursive. */
const MAX_DEPTH = 32
/** Maximum elements: reading them takes the event loop for half a second. */
const MAX_ELEMENTS = 100_000
/** Maximum length of a namespace, because each element that is written repeats its own. */
const MAX_NAMESPACE = 256

const START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F' +
  '\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const NAME = `[${START}][${START}.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040\\-]*`
/** Prefix and local name. */
const QUALIFIED = `(?:(${NAME}):)?(${NAME})`
const SPACE = '[ \\t\\r\\n]'

const OPENING = new RegExp(`<${QUALIFIED}`, 'uy')
const ATTRIBUTE = new RegExp(`${SPACE}+${QUALIFIED}${SPACE}*=${SPACE}*(?:"([^<"]*)"|'([^<']*)')`, 'uy')
const END_OF_OPENING = new RegExp(`${SPACE}*(/?)>`, 'uy')
const CLOSING = new RegExp(`</${QUALIFIED}${SPACE}*>`, 'uy')
const DECLARATION = new RegExp(`\\uFEFF?(?:<\\?xml${SPACE}[^>]*\\?>)?`, 'uy')
/** Comments and processing instructions mean nothing here. No dashes but the last are in a comment. */
const COMMENT = /<!--.*?--/suy
const END_OF_COMMENT = />/uy
const INSTRUCTION = /<\?(?!xml[ \t\r\n?]).*?\?>/isuy
const BLANKS = new RegExp(`${SPACE}+`, 'uy')
const CHARACTERS = /<!\[CDATA\[(.*?)\]\]>/suy
const TEXT = /[^<]+/uy
/** Matches a character that no XML 1.0 text may have, also not by its number. */
const FORBIDDEN = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));|&/g
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Namespaces that an element declares, by their prefixes, and those around it: a copy for each element would cost the square. */
interface Namespaces {
  own: ReadonlyMap<string, string>
  outer?: Namespaces
}

/**
 * Reads a document with namespaces. It knows the five entities of XML and no other: a document type is refused, so nothing can
 * be expanded or loaded.
 *
 * @throws {XmlError}
 */
export function readXml(text: string): XmlElement {
  if (FORBIDDEN.test(text)) throw new XmlError('A character is not allowed in XML')
  return new Reader(text.replace(/\r\n?/g, '\n')).document()
}

class Reader {
  readonly #text: string
  #at = 0
  #elements = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): XmlElement {
    this.#take(DECLARATION)
    this.#skip()
    const root = this.#element({ own: new Map([['xml', XML_NAMESPACE]]) }, 1)
    this.#skip()
    if (this.#at < this.#text.length) throw new XmlError('Something follows the root element')
    return root
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text) ?? undefined
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #skip(): void {
    while (this.#take(BLANKS) || this.#takeIgnored());
  }

  #takeIgnored(): boolean {
    if (this.#take(INSTRUCTION)) return true
    if (!this.#take(COMMENT)) return false
    if (!this.#take(END_OF_COMMENT)) throw new XmlError('Two dashes are in a comment')
    return true
  }

  #element(outer: Namespaces, depth: number): XmlElement {
    if (depth > MAX_DEPTH) throw new XmlError(`The elements are nested more than ${MAX_DEPTH} levels deep`)
    this.#elements += 1
    if (this.#elements > MAX_ELEMENTS)
      throw new XmlError(`The document has more than ${MAX_ELEMENTS} elements`)
    const opening = this.#take(OPENING)
    if (!opening) throw new XmlError('An element is expected')
    const [, prefix = '', name = ''] = opening
    const { namespaces, attributes } = this.#attributes(outer)
    const end = this.#take(END_OF_OPENING)
    if (!end) throw new XmlError(`The element "${name}" is not well-formed`)
    const element = { namespace: resolve(namespaces, prefix), name, attributes }
    if (end[1] === '/') return { ...element, children: [] }
    const children = this.#children(namespaces, depth)
    const [, closedPrefix = '', closed = ''] = this.#take(CLOSING) ?? []
    if (closed !== name || closedPrefix !== prefix) throw new XmlError(`The element "${name}" does not end`)
    return { ...element, children }
  }

  #attributes(outer: Namespaces): { namespaces: Namespaces; attributes: XmlAttribute[] } {
    const sent: { prefix: string; name: string; value: string }[] = []
    const names = new Set<string>()
    const declared = new Map<string, string>()
    for (let found = this.#take(ATTRIBUTE); found; found = this.#take(ATTRIBUTE)) {
      const [, prefix = '', name = '', quoted, apostrophed = ''] = found
      if (names.size === names.add(`${prefix}:${name}`).size)
        throw new XmlError(`The attribute "${name}" occurs twice`)
      const value = unescaped((quoted ?? apostrophed).replace(/[\t\n]/g, ' '))
      sent.push({ prefix, name, value })
      const isDefault = prefix === '' && name === 'xmlns'
      if ((isDefault || prefix === 'xmlns') && value.length > MAX_NAMESPACE)
        throw new XmlError(`A namespace is longer than ${MAX_NAMESPACE} characters`)
      if (isDefault) declared.set('', value)
      if (prefix !== 'xmlns') continue
      if (value === '' || name === 'xmlns' || (name === 'xml') !== (value === XML_NAMESPACE))
        throw new XmlError(`The prefix "${name}" is not declared well`)
      declared.set(name, value)
    }
    const namespaces = declared.size === 0 ? outer : { own: declared, outer }
    const own = sent.filter(({ prefix, name }) => prefix !== 'xmlns' && !(prefix === '' && name === 'xmlns'))
    const attributes = own.map(({ prefix, name, value }) => ({
      namespace: prefix === '' ? '' : resolve(namespaces, prefix),
      name,
      value,
    }))
    return { namespaces, attributes }
  }

  #children(namespaces: Namespaces, depth: number): (XmlElement | string)[] {
    const children: (XmlElement | string)[] = []
    while (!this.#text.startsWith('</', this.#at)) {
      if (this.#takeIgnored()) continue
      const characters = this.#take(CHARACTERS)
      const text = characters ? characters[1] : this.#plainText()
      if (text === undefined) children.push(this.#element(namespaces, depth + 1))
      else if (typeof children.at(-1) === 'string') children.push(`${children.pop()}${text}`)
      else children.push(text)
    }
    return children
  }

  #plainText(): string | undefined {
    const [text] = this.#take(TEXT) ?? []
    if (text?.includes(']]>')) throw new XmlError('"]]>" is not allowed in a text')
    return text === undefined ? undefined : unescaped(text)
  }
}

function resolve(namespaces: Namespaces, prefix: string): string {
  for (let around: Namespaces | undefined = namespaces; around; around = around.outer) {
    const namespace = around.own.get(prefix)
    if (namespace !== undefined) return namespace
  }
  if (prefix === '') return ''
  throw new XmlError(`The prefix "${prefix}" is not declared`)
}

const unescaped = (text: string): string =>
  text.replace(REFERENCE, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    const known = ENTITIES[name ?? '']
    if (known !== undefined) return known
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    if (character === '' || FORBIDDEN.test(character)) throw new XmlError('An entity is not known')
    return character
  })

/** Returns the elements directly in another, in one namespace; of one name, or all of them. */
export const childrenOf = (parent: XmlElement, namespace: string, name?: string): XmlElement[] =>
  parent.children
    .filter((child) => typeof child !== 'string')
    .filter((child) => child.namespace === namespace && (name ?? child.name) === child.name)

/** Returns the text in an element, without that of elements in it. */
export const textOf = ({ children }: XmlElement): string =>
  children.filter((child) => typeof child === 'string').join('')
