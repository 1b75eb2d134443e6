import { describe, expect, test } from 'bun:test'
import { childrenOf, readXml, textOf, XmlError } from '../../src/xml/read.ts'
import { element, elementWith, writeElement, xmlDocument } from '../../src/xml/write.ts'

describe('reading', () => {
  test('names are resolved by the namespaces that are declared around them', () => {
    const root = readXml(
      '\uFEFF<?xml version="1.0" encoding="utf-8"?><!-- c --><a:x xmlns:a="urn:a" xmlns="urn:b"><y a:k="1" k=\'2\'/><z xmlns=""/></a:x>',
    )
    expect([root.namespace, root.name]).toEqual(['urn:a', 'x'])
    const [y] = childrenOf(root, 'urn:b')
    expect(y?.attributes).toEqual([
      { namespace: 'urn:a', name: 'k', value: '1' },
      { namespace: '', name: 'k', value: '2' },
    ])
    expect(childrenOf(root, '', 'z')).toHaveLength(1)
  })

  test('texts join sections and references', () => {
    const root = readXml('<a>1 &lt; 2 &amp;&#x263A;<![CDATA[<b>&amp;]]><?pi ?><!-- no -->\r\n.</a>')
    expect(textOf(root)).toBe('1 < 2 &☺<b>&amp;\n.')
  })

  test.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ['an unknown entity', '<a>&e;</a>'],
    ['an ampersand', '<a>a & b</a>'],
    ['a reference to NUL', '<a>&#0;</a>'],
    ['a reference past Unicode', '<a>&#x110000;</a>'],
    ['a control character', '<a>\u0001</a>'],
    ['half a surrogate pair', '<a>\uD800</a>'],
    ['an element without an end', '<a><b></a>'],
    ['another end', '<a></b>'],
    ['two roots', '<a/><b/>'],
    ['text around the root', 'x<a/>'],
    ['nothing', ''],
    ['an undeclared prefix', '<a:b/>'],
    ['an undeclared prefix of an attribute', '<a b:c="1"/>'],
    ['a prefix without a namespace', '<a xmlns:b=""/>'],
    ['an attribute that occurs twice', '<a b="1" b="2"/>'],
    ['an attribute without quotes', '<a b=1/>'],
    ['a "<" in an attribute', '<a b="<"/>'],
    ['the end of a section in a text', '<a>]]></a>'],
    ['two dashes in a comment', '<!-- a -- b --><a/>'],
    ['a declaration inside', '<a><?xml version="1.0"?></a>'],
    ['a name that begins with a digit', '<1a/>'],
    ['a long namespace', `<a xmlns="${'u'.repeat(257)}"/>`],
    ['100,001 elements', `<a>${'<b/>'.repeat(100_000)}</a>`],
    ['deep nesting', `${'<a>'.repeat(33)}${'</a>'.repeat(33)}`],
  ])('%s is refused', (_, text) => {
    expect(() => readXml(text)).toThrow(XmlError)
  })

  test('long texts are read in linear time', () => {
    const text = `<a b="${'x'.repeat(60_000)}">${'<!-- -->'.repeat(2000)}${'&amp;'.repeat(10_000)}</a>`
    expect(textOf(readXml(text))).toBe('&'.repeat(10_000))
    expect(() => readXml(`<a>${'<!--'.repeat(15_000)}`)).toThrow(XmlError)
    // A copy of the namespaces for each element would hang.
    const declared = Array.from({ length: 200_000 }, (_, index) => ` xmlns:n${index}="u"`).join('')
    expect(childrenOf(readXml(`<a${declared}>${'<n0:b/>'.repeat(99_999)}</a>`), 'u')).toHaveLength(99_999)
    const long = 'x'.repeat(2_000_000)
    expect(textOf(readXml(`<a><!--${long}--><?b ${long}?><![CDATA[${long}]]></a>`))).toBe(long)
  })
})

describe('writing', () => {
  test('texts and attributes are escaped', () => {
    const root = elementWith('a', { b: '"<&\r' }, 'x < "y" & \u0001', 5, element('c'))
    const text = xmlDocument(root)
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<a b="&quot;&lt;&amp;&#13;">x &lt; &quot;y&quot; &amp; \uFFFD5<c/></a>',
    )
    expect(textOf(readXml(text))).toBe('x < "y" & \uFFFD5')
  })

  test('an element that was read is written with its names', () => {
    const text = '<p:a xmlns:p="urn:p" xml:lang="en" p:k="v"><b>t &amp; u</b>\n<p:c/></p:a>'
    const root = readXml(text)
    expect(readXml(writeElement(root).xml)).toEqual(root)
  })
})
