import { DOMParser, MIME_TYPE, Node, ParseError, type Element } from '@xmldom/xmldom'
import { UnreadableError } from './documentJob.ts'

/**
 * The root element of an XML document. Only the entities of XML are known (in XHTML those of HTML as well), so none can grow.
 * Throws `broken` where it is not well-formed.
 * @param part as messages name it
 */
export function parseXml(content: Uint8Array, part: string, type: 'xml' | 'xhtml' = 'xml'): Element {
  const mime = type === 'xml' ? MIME_TYPE.XML_APPLICATION : MIME_TYPE.XML_XHTML_APPLICATION
  const parser = new DOMParser({
    onError: (level, message) => {
      if (level !== 'warning') throw new UnreadableError('broken', `${part}: ${message}`)
    },
  })
  try {
    const root = parser.parseFromString(decode(content), mime).documentElement
    if (root) return root
  } catch (error) {
    if (error instanceof ParseError) throw new UnreadableError('broken', `${part}: ${error.message}`, { cause: error })
    throw error
  }
  throw new UnreadableError('broken', `${part} is empty`)
}

/** XML is UTF-8 unless a byte order mark says UTF-16 (XML 1.0, 4.3.3) or its first line names another encoding. */
function decode(content: Uint8Array): string {
  const [first, second] = content
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content)
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(new TextDecoder('latin1').decode(content.subarray(0, 200)))?.[1]
  try {
    return new TextDecoder(declared).decode(content)
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableError('broken', `its encoding "${declared}" is not known`, { cause: error })
    throw error
  }
}

export type { Element } from '@xmldom/xmldom'

/** The elements directly inside, in their order. */
export function childElements(element: Element): Element[] {
  const found: Element[] = []
  for (let node = element.firstChild; node; node = node.nextSibling) if (isElement(node)) found.push(node)
  return found
}

/** The first element directly inside with a name, whatever its prefix. */
export function child(element: Element | undefined, name: string): Element | undefined {
  return element && childElements(element).find(({ localName }) => localName === name)
}

/** The elements at any depth with a name, whatever their prefix, in the order of the document. */
export function descendants(element: Element, name: string): Element[] {
  return Array.from(element.getElementsByTagNameNS('*', name))
}

/** An attribute by its local name, without a prefix before one with any. */
export function attribute(element: Element, name: string): string | undefined {
  return element.getAttribute(name) ?? Array.from(element.attributes).find(({ localName }) => localName === name)?.value
}

/** What lies directly inside: text as a string, elements as they are; comments and the like are left out. */
export function contents(element: Element): (string | Element)[] {
  const found: (string | Element)[] = []
  for (let node = element.firstChild; node; node = node.nextSibling) {
    if (isElement(node)) found.push(node)
    else if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) found.push(node.nodeValue ?? '')
  }
  return found
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE
}

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
