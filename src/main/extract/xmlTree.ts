import { SaxesParser } from 'saxes'
import { UnreadableError } from './documentJob.ts'

/** An element of an XML document with what lies inside it, in its order; comments and the like are left out. */
export interface Element {
  /** Without its prefix. */
  name: string
  /** By their names as written, prefix included. */
  attributes: ReadonlyMap<string, string>
  contents: (string | Element)[]
}

/** For text that becomes HTML: entities stay as they are written, and those of HTML, which XML does not know, with them. */
const htmlEntities = { amp: '&amp;', lt: '&lt;', gt: '&gt;', quot: '&quot;', apos: '&#39;' }

/**
 * The root element of an XML document. Entities that a document defines are not expanded, so none can grow.
 * Throws `broken` where it is not well-formed.
 * @param part as messages name it
 * @param type of `xhtml` the texts are HTML: they keep their entities
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

/** XML is UTF-8 unless a byte order mark says UTF-16 (XML 1.0, 4.3.3) or its first line names another encoding. */
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
      throw new UnreadableError('broken', `its encoding "${declared}" is not known`, { cause: error })
    throw error
  }
}

/** The elements directly inside, in their order. */
export function childElements({ contents }: Element): Element[] {
  return contents.filter((part) => typeof part !== 'string')
}

/** The first element directly inside with a name, whatever its prefix. */
export function child(element: Element | undefined, name: string): Element | undefined {
  return element && childElements(element).find((one) => one.name === name)
}

/** The elements at any depth with a name, whatever their prefix, in the order of the document. */
export function descendants(element: Element, name: string): Element[] {
  return childElements(element).flatMap((one) =>
    one.name === name ? [one, ...descendants(one, name)] : descendants(one, name),
  )
}

/** An attribute by its name without a prefix; one that has none comes before one that has. */
export function attribute({ attributes }: Element, name: string): string | undefined {
  return attributes.get(name) ?? [...attributes].find(([written]) => withoutPrefix(written) === name)?.[1]
}

/** All text inside. */
export function textOf({ contents }: Element): string {
  return contents.map((part) => (typeof part === 'string' ? part : textOf(part))).join('')
}

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
