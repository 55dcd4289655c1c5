import { expect, test } from 'vitest'
import { attribute, childElements, parseXml, textOf } from './xmlTree.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('parses text, elements and attributes in order, regardless of prefixes', () => {
  const root = parseXml(
    bytes(
      '<?xml version="1.0"?><a:r xmlns:a="x" xmlns:b="y"><a:p b:id="2" id="1">one <b:s/>&amp; <![CDATA[<two>]]></a:p></a:r>',
    ),
    'part',
  )
  const [paragraph] = childElements(root)
  expect(
    paragraph && [paragraph.name, attribute(paragraph, 'id'), textOf(paragraph), childElements(paragraph)[0]?.name],
  ).toEqual(['p', '1', 'one & <two>', 's'])
})

test('decodes UTF-16 and declared encodings', () => {
  expect(textOf(parseXml(Buffer.from('\uFEFF<r>ñ</r>', 'utf16le'), 'part'))).toBe('ñ')
  expect(textOf(parseXml(Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><r>ñ</r>', 'latin1'), 'part'))).toBe(
    'ñ',
  )
})

test('keeps HTML entities in XHTML', () => {
  expect(textOf(parseXml(bytes('<p>a&nbsp;&lt;b&mdash;</p>'), 'part', 'xhtml'))).toBe('a&nbsp;&lt;b&mdash;')
})

test.each([
  ['an unclosed element', '<r><p></r>'],
  ['text that is not XML', 'PK'],
  ['an empty file', ''],
  ['nested entities', '<!DOCTYPE r [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>'],
])('rejects %s and names the part', (_, text) => {
  expect(() => parseXml(bytes(text), 'the part')).toThrow(
    expect.objectContaining({ failure: { reason: 'broken', detail: expect.stringContaining('the part') } }),
  )
})
