import { describe, expect, test } from 'bun:test'
import { elementsOf, parseXml, textOf, writeElement } from '../../src/s3/xml.ts'

describe('parseXml', () => {
  test('reads elements, entities, attributes and empty elements', () => {
    const text =
      '<?xml version="1.0" encoding="UTF-8"?>\n<Root xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
      "<Key>a &amp; b &lt;&#233;&#x1F600;</Key><Empty/><Item><Size>1</Size></Item>\n<Item a='1' ><Size>2</Size></Item ></Root>\n"

    const root = parseXml(text, 'Root')

    expect(root && textOf(root, 'Key')).toBe('a & b <é😀')
    expect(root && textOf(root, 'Empty')).toBe('')
    expect(root && elementsOf(root, 'Item').map((item) => textOf(item, 'Size'))).toEqual(['1', '2'])
  })

  test.each([
    ['nothing', ''],
    ['another root', '<Error></Error>'],
    ['an early end', '<Root><Key>a</Key>'],
    ['an early end within a tag', '<Root><Key>a</Key></Ro'],
    ['crossed tags', '<Root><a><b></a></b></Root>'],
    ['a closing tag too many', '<Root></Root></Root>'],
    ['two roots', '<Root/><Root/>'],
    ['text beside the root', 'x<Root/>'],
    ['a doctype', '<!DOCTYPE Root [<!ENTITY a "b">]><Root>&a;</Root>'],
    ['an unknown entity', '<Root>&a;</Root>'],
    ['a bare ampersand', '<Root>a & b</Root>'],
    ['a character past Unicode', '<Root>&#x110000;</Root>'],
    ['a comment', '<Root><!-- --></Root>'],
    ['CDATA', '<Root><![CDATA[x]]></Root>'],
    ['elements nested too deep', `${'<Root>'.repeat(50)}${'</Root>'.repeat(50)}`],
  ])('refuses %s', (_, text) => {
    expect(parseXml(text, 'Root')).toBeUndefined()
  })

  test('reads back what writeElement escapes', () => {
    const text = writeElement('Root', [writeElement('Key', '<a> & "b"')])
    const root = parseXml(text, 'Root')
    expect(root && textOf(root, 'Key')).toBe('<a> & "b"')
  })
})
