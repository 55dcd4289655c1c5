import path from 'node:path'
import { openArchive, type Archive } from './zipArchive.ts'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { collectPages } from './pageCollection.ts'
import { attribute, child, descendants, parseXml, type Element } from './xmlTree.ts'

// EPUB 3.3; version 2 uses the same names.

const container = 'META-INF/container.xml'
const encryption = 'META-INF/encryption.xml'

/** Converts a book to HTML, chapter by chapter in reading order (its spine). */
export async function extractEpub(content: Uint8Array<ArrayBuffer>, pages: DocumentJob['pages']): Promise<Extracted> {
  const archive = await openArchive(content)
  const chapters = await spine(archive)
  const locked = await encryptedParts(archive)
  const text = await collectPages({
    count: chapters.length,
    range: pages,
    pageName: 'Chapter',
    formatHeading: (words) => `<h1>${words}</h1>`,
    read: async (number) => {
      const part = chapters[number - 1] ?? ''
      if (locked.has(part)) throw new UnreadableError('encrypted', '')
      const root = parseXml(await archive.read(part), part, 'xhtml')
      return htmlOf(child(root, 'body') ?? root) || '<p>(no text)</p>'
    },
  })
  return { kind: 'html', text, pageCount: chapters.length }
}

async function spine(archive: Archive): Promise<string[]> {
  const [root] = descendants(parseXml(await archive.read(container), container), 'rootfile')
  const packagePart = root ? attribute(root, 'full-path') : undefined
  if (packagePart === undefined) throw new UnreadableError('broken', `${container} does not refer to a book`)
  const book = parseXml(await archive.read(packagePart), packagePart)
  const items = new Map(
    descendants(book, 'item').map((item) => [attribute(item, 'id') ?? '', attribute(item, 'href') ?? '']),
  )
  return descendants(book, 'itemref').flatMap((reference) => {
    const href = items.get(attribute(reference, 'idref') ?? '')
    return href === undefined ? [] : [path.posix.join(path.posix.dirname(packagePart), unescaped(href))]
  })
}

/** Returns the DRM-protected parts. Encrypted fonts are common in books that are otherwise readable. */
async function encryptedParts(archive: Archive): Promise<Set<string>> {
  if (!archive.has(encryption)) return new Set()
  return new Set(
    descendants(parseXml(await archive.read(encryption), encryption), 'CipherReference').map((one) =>
      unescaped(attribute(one, 'URI') ?? ''),
    ),
  )
}

function unescaped(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch (error) {
    // An unescaped address: a lone "%" is literal.
    if (error instanceof URIError) return address
    throw error
  }
}

const skippedElements = new Set(['script', 'style', 'head', 'svg', 'img', 'audio', 'video', 'object', 'iframe'])
const voidElements = new Set(['br', 'hr', 'wbr', 'col'])

/**
 * Converts XHTML to HTML, where a self-closed element such as `<a/>` would stay open. Keeps only addresses of the
 * attributes.
 */
function htmlOf({ contents }: Element): string {
  return contents
    .map((part) => {
      // Its entities are already HTML entities.
      if (typeof part === 'string') return part.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      const { name } = part
      if (skippedElements.has(name)) return ''
      if (voidElements.has(name)) return `<${name}>`
      const address = name === 'a' ? attribute(part, 'href') : undefined
      return `<${name}${address === undefined ? '' : ` href="${address.replaceAll('"', '&quot;')}"`}>${htmlOf(part)}</${name}>`
    })
    .join('')
}
