import path from 'node:path'
import { openArchive, type Archive } from './zipArchive.ts'
import { refuseCompoundFile } from './contentKind.ts'
import { bufferOf, UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { collectPages } from './pageCollection.ts'
import { attribute, child, childElements, descendants, escapeHtml, parseXml, textOf, type Element } from './xmlTree.ts'

// PresentationML and DrawingML, ECMA-376 part 1.

const presentationPart = 'ppt/presentation.xml'
/** Placeholders repeated on every slide, and the slide image in the notes. */
const skippedPlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/** Converts a PowerPoint presentation to HTML, slide by slide with notes. */
export async function extractPptx(content: Uint8Array<ArrayBuffer>, pages: DocumentJob['pages']): Promise<Extracted> {
  refuseCompoundFile(bufferOf(content), 'PPT')
  const archive = await openArchive(content)
  const slides = await slideParts(archive)
  const text = await collectPages({
    count: slides.length,
    range: pages,
    pageName: 'Slide',
    formatHeading: (words) => `<h1>${words}</h1>`,
    read: async (number) => readSlide(archive, slides[number - 1] ?? ''),
  })
  return { kind: 'html', text, pageCount: slides.length }
}

async function slideParts(archive: Archive): Promise<string[]> {
  const root = parseXml(await archive.read(presentationPart), presentationPart)
  const related = await relatedParts(archive, presentationPart)
  return descendants(root, 'sldId').map((slide) => {
    // A slide has a number and a relationship id. Both attributes are called `id`; the second has a prefix.
    const [id = ''] = [...slide.attributes].filter(([name]) => name.endsWith(':id')).map(([, value]) => value)
    const part = related.get(id)?.part
    if (part === undefined) throw new UnreadableError('broken', `It refers to a missing slide "${id}".`)
    return part
  })
}

async function readSlide(archive: Archive, part: string): Promise<string> {
  const slide = parseXml(await archive.read(part), part)
  const hidden = attribute(slide, 'show') === '0' ? '<p>(hidden)</p>' : ''
  const notes = [...(await relatedParts(archive, part)).values()].find(({ type }) => type === 'notesSlide')
  const notesHtml = notes ? shapes(parseXml(await archive.read(notes.part), notes.part), 'p') : ''
  return (
    (hidden + shapes(slide, 'list') || '<p>(no text)</p>') +
    (notesHtml === '' ? '' : `<p><strong>Notes:</strong></p>${notesHtml}`)
  )
}

interface Related {
  type: string
  part: string
}

/** Returns the targets of a part's relationships by id (ECMA-376 part 2, relationships). */
async function relatedParts(archive: Archive, part: string): Promise<Map<string, Related>> {
  const { dir, base } = path.posix.parse(part)
  const name = `${dir}/_rels/${base}.rels`
  if (!archive.has(name)) return new Map()
  const inside = descendants(parseXml(await archive.read(name), name), 'Relationship').filter(
    (one) => attribute(one, 'TargetMode') !== 'External',
  )
  return new Map(
    inside.map((one) => {
      const target = attribute(one, 'Target') ?? ''
      const type = path.posix.basename(attribute(one, 'Type') ?? '')
      return [
        attribute(one, 'Id') ?? '',
        { type, part: target.startsWith('/') ? target.slice(1) : path.posix.join(dir, target) },
      ]
    }),
  )
}

/** Converts the shapes and tables of a slide in drawing order. */
function shapes(element: Element, body: 'list' | 'p'): string {
  return childElements(element)
    .map((one) => {
      if (one.name === 'sp') return shape(one, body)
      if (one.name === 'tbl') return table(one)
      // Duplicate content for programs that do not support a newer drawing.
      if (one.name === 'Fallback') return ''
      return shapes(one, body)
    })
    .join('')
}

function shape(element: Element, body: 'list' | 'p'): string {
  const placeholder = descendants(element, 'ph')[0]
  const role = placeholder ? (attribute(placeholder, 'type') ?? 'body') : undefined
  const text = child(element, 'txBody')
  if (!text || (role !== undefined && skippedPlaceholders.has(role))) return ''
  const paragraphs = childElements(text)
    .filter(({ name }) => name === 'p')
    .map(paragraph)
    .filter(({ html }) => html !== '')
  if (paragraphs.length === 0) return ''
  if (role === 'title' || role === 'ctrTitle') return `<h2>${paragraphs.map(({ html }) => html).join(' ')}</h2>`
  if (body === 'list' && (paragraphs.some(({ bullet }) => bullet) || (role === 'body' && paragraphs.length > 1)))
    return list(paragraphs)
  return paragraphs.map(({ html }) => `<p>${html}</p>`).join('')
}

interface Paragraph {
  html: string
  level: number
  bullet: boolean
}

function paragraph(element: Element): Paragraph {
  const properties = child(element, 'pPr')
  const html = childElements(element)
    .map((one) => {
      if (one.name === 'br') return '<br>'
      return one.name === 'r' || one.name === 'fld' ? escapeHtml(textIn(child(one, 't'))) : ''
    })
    .join('')
    .trim()
  const bullet =
    properties !== undefined && (child(properties, 'buChar') ?? child(properties, 'buAutoNum')) !== undefined
  // The standard defines levels 0 to 8.
  return { html, level: Math.min(Number(properties ? (attribute(properties, 'lvl') ?? 0) : 0) || 0, 8), bullet }
}

function textIn(element: Element | undefined): string {
  return element ? textOf(element) : ''
}

function list(paragraphs: readonly Paragraph[]): string {
  let html = ''
  let depth = -1
  for (const one of paragraphs) {
    const level = Math.min(one.level, depth + 1)
    if (level > depth) html += '<ul>'
    else html += '</li>' + '</ul></li>'.repeat(depth - level)
    html += `<li>${one.html}`
    depth = level
  }
  return html + '</li></ul>'.repeat(depth + 1)
}

function table(element: Element): string {
  const rows = descendants(element, 'tr').map((row) => {
    const cells = childElements(row).filter(({ name }) => name === 'tc')
    return `<tr>${cells
      .map(
        (cell) =>
          `<td>${descendants(cell, 'p')
            .map((one) => paragraph(one).html)
            .join('<br>')}</td>`,
      )
      .join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}
