import { SaxesParser } from 'saxes'
import { UnreadableError } from './documentJob.ts'

/** An XML element with its content in order, without comments and processing instructions. */
export interface Element {
  /** Local name, without prefix. */
  name: string
  /** Keyed by name as written, including the prefix. */
  attributes: ReadonlyMap<string, string>
  contents: (string | Element)[]
}

/** Entities that stay escaped because the text becomes HTML, including HTML entities that XML does not define. */
const htmlEntities = { amp: '&amp;', lt: '&lt;', gt: '&gt;', quot: '&quot;', apos: '&#39;' }

/**
 * Parses an XML document and returns its root element. Entities declared in the document are not expanded, which
 * prevents exponential growth.
 * @throws UnreadableError broken
 * @param part name for messages
 * @param type for `xhtml`, texts keep their entities
 */
export function parseXml(content: Uint8Array, part: string, type: 'xml' | 'xhtml' = 'xml'): Element {
  const parser = new SaxesParser({ position: false })
  if (type === 'xhtml') parser.ENTITIES = htmlEntities
  const document: Element = { name: '', attributes: new Map(), contents: [] }
  const open = [document]
  const add = (text: string) => void open.at(-1)?.contents.push(text)
  parser.on('error', ({ message }) => {
    if (type === 'xml' || !message.includes('undefined entity'))
      throw new UnreadableError('broken', `${part}: ${message}`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = {
      name: withoutPrefix(name),
      attributes: new Map(Object.entries(attributes)),
      contents: [],
    }
    open.at(-1)?.contents.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', add)
  parser.on('cdata', add)
  parser.write(decode(content)).close()
  const root = childElements(document)[0]
  if (root) return root
  throw new UnreadableError('broken', `${part} is empty`)
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/**
 * XML is UTF-8 unless a byte order mark indicates UTF-16 (XML 1.0, 4.3.3) or the declaration names another encoding.
 */
function decode(content: Uint8Array): string {
  const [first, second] = content
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content)
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(
    new TextDecoder('latin1').decode(content.subarray(0, 200)),
  )?.[1]
  try {
    return new TextDecoder(declared).decode(content)
  } catch (error) {
    if (error instanceof RangeError)
      throw new UnreadableError('broken', `Its encoding "${declared}" is not supported.`, { cause: error })
    throw error
  }
}

/** Returns the child elements in order. */
export function childElements({ contents }: Element): Element[] {
  return contents.filter((part) => typeof part !== 'string')
}

/** Returns the first child element with a local name. */
export function child(element: Element | undefined, name: string): Element | undefined {
  return element && childElements(element).find((one) => one.name === name)
}

/** Returns all descendants with a local name, in document order. */
export function descendants(element: Element, name: string): Element[] {
  return childElements(element).flatMap((one) =>
    one.name === name ? [one, ...descendants(one, name)] : descendants(one, name),
  )
}

/** Returns an attribute by local name; one without a prefix takes precedence. */
export function attribute({ attributes }: Element, name: string): string | undefined {
  return attributes.get(name) ?? [...attributes].find(([written]) => withoutPrefix(written) === name)?.[1]
}

/** Returns all text inside. */
export function textOf({ contents }: Element): string {
  return contents.map((part) => (typeof part === 'string' ? part : textOf(part))).join('')
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
