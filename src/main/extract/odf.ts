import { formatNumber } from '../../shared/text/formatNumber.ts'
import { markdownTable } from './csv.ts'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { collectPages } from './pageCollection.ts'
import { attribute, child, childElements, descendants, parseXml, textOf, type Element, escapeHtml } from './xmlTree.ts'
import { openArchive, type Archive } from './zipArchive.ts'

// OpenDocument 1.3: packages (part 2) and the schema of content.xml (part 3).

/** Maximum cells of a sheet. A file can repeat one cell a million times in a few bytes. */
const maxCells = 1_000_000

/** Converts a text document to HTML, without tracked deletions. */
export async function extractOdt(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const { root, body } = await openBody(content, 'text')
  return { kind: 'html', text: odfHtml(body, odfStyles(root)) }
}

/** Converts a presentation to HTML, slide by slide with notes. */
export async function extractOdp(content: Uint8Array<ArrayBuffer>, pages: DocumentJob['pages']): Promise<Extracted> {
  const { root, body } = await openBody(content, 'presentation')
  const styles = odfStyles(root)
  const slides = childElements(body).filter(({ name }) => name === 'page')
  const text = await collectPages({
    count: slides.length,
    range: pages,
    pageName: 'Slide',
    formatHeading: (words) => `<h1>${words}</h1>`,
    read: (number) => {
      const slide = slides[number - 1]
      return slide ? odfHtml(slide, styles) || '<p>(no text)</p>' : ''
    },
  })
  return { kind: 'html', text, pageCount: slides.length }
}

/** Converts each sheet of a spreadsheet to a Markdown table with the first row as header. */
export async function extractOds(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const { body } = await openBody(content, 'spreadsheet')
  const sheets = childElements(body).filter(({ name }) => name === 'table')
  return {
    kind: 'text',
    text: sheets
      .map((sheet) => `## ${attribute(sheet, 'name') ?? ''}\n\n${markdownTable(rowsOf(sheet)) || '(empty)'}`)
      .join('\n\n'),
  }
}

async function openBody(content: Uint8Array<ArrayBuffer>, kind: string): Promise<{ root: Element; body: Element }> {
  const archive = await openArchive(content)
  if (await isEncrypted(archive)) throw new UnreadableError('encrypted', '')
  const root = parseXml(await archive.read('content.xml'), 'content.xml')
  const body = child(child(root, 'body'), kind)
  if (!body) throw new UnreadableError('broken', `It contains no ${kind}.`)
  return { root, body }
}

async function isEncrypted(archive: Archive): Promise<boolean> {
  // A fully encrypted package has a single part (LibreOffice 24.2 and later).
  if (archive.has('encrypted-package')) return true
  if (!archive.has('META-INF/manifest.xml')) return false
  return (
    descendants(parseXml(await archive.read('META-INF/manifest.xml'), 'META-INF/manifest.xml'), 'encryption-data')
      .length > 0
  )
}

/** Returns the cells of a sheet without empty rows and columns at the end. */
function rowsOf(sheet: Element): string[][] {
  const rows: string[][] = []
  let cells = 0
  let blank = 0
  for (const row of descendants(sheet, 'table-row')) {
    const texts = cellsOf(row)
    const times = repeated(row, 'number-rows-repeated')
    if (texts.length === 0) {
      blank += times
      continue
    }
    cells += texts.length * times + blank
    if (cells > maxCells)
      throw new UnreadableError('too_large', `A sheet has more than ${formatNumber(maxCells)} cells.`)
    for (let count = 0; count < blank; count += 1) rows.push([])
    for (let count = 0; count < times; count += 1) rows.push(texts)
    blank = 0
  }
  return rows
}

function cellsOf(row: Element): string[] {
  const texts: string[] = []
  let blank = 0
  for (const cell of childElements(row)) {
    if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue
    const text = childElements(cell)
      .filter(({ name }) => name === 'p')
      .map(textOf)
      .join(' ')
    const times = repeated(cell, 'number-columns-repeated')
    if (text === '') {
      blank += times
      continue
    }
    if (texts.length + blank + times > maxCells)
      throw new UnreadableError('too_large', `A row has more than ${formatNumber(maxCells)} cells.`)
    texts.push(...Array<string>(blank).fill(''), ...Array<string>(times).fill(text))
    blank = 0
  }
  return texts
}

function repeated(element: Element, name: string): number {
  const times = Number(attribute(element, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}

/** Text properties of automatic styles, by style name. */
export interface OdfStyles {
  bold: ReadonlySet<string>
  italic: ReadonlySet<string>
  /** Names of numbered list styles. */
  numbered: ReadonlySet<string>
}

/** Reads the automatic styles of a document. */
export function odfStyles(root: Element): OdfStyles {
  const automatic = child(root, 'automatic-styles')
  const styles = automatic ? childElements(automatic) : []
  const named = (test: (style: Element) => boolean) =>
    new Set(styles.filter(test).map((style) => attribute(style, 'name') ?? ''))
  const hasTextProperty = (style: Element, name: string, value: string) => {
    const properties = child(style, 'text-properties')
    return properties !== undefined && attribute(properties, name) === value
  }
  return {
    bold: named((style) => hasTextProperty(style, 'font-weight', 'bold')),
    italic: named((style) => hasTextProperty(style, 'font-style', 'italic')),
    numbered: named(
      (style) => style.name === 'list-style' && childElements(style)[0]?.name === 'list-level-style-number',
    ),
  }
}

/** Elements without document text: deletions, comments, settings, page previews. */
const skippedElements = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'forms',
  'sequence-decls',
  'variable-decls',
  'user-field-decls',
  'title',
  'desc',
  'page-thumbnail',
  'settings',
  'calculation-settings',
  'image',
  'binary-data',
  'event-listeners',
])
/** Elements with a direct HTML equivalent. */
const htmlTags: Partial<Record<string, string>> = {
  table: 'table',
  'table-row': 'tr',
  'table-cell': 'td',
  'covered-table-cell': 'td',
}
/** Maximum number of repeated spaces. */
const maxSpaces = 100

/** Converts the content of an OpenDocument element to HTML. */
export function odfHtml(element: Element, styles: OdfStyles): string {
  return element.contents
    .map((part) => (typeof part === 'string' ? escapeHtml(part) : elementHtml(part, styles)))
    .join('')
}

function elementHtml(element: Element, styles: OdfStyles): string {
  const { name } = element
  if (skippedElements.has(name)) return ''
  const inner = () => odfHtml(element, styles)
  const tag = htmlTags[name]
  if (tag) return `<${tag}>${inner()}</${tag}>`
  switch (name) {
    case 'h':
      return heading(Number(attribute(element, 'outline-level') ?? 1), inner())
    case 'p':
      return `<p>${styled(element, inner(), styles)}</p>`
    case 'span':
      return styled(element, inner(), styles)
    case 's':
      return ' '.repeat(Math.min(Number(attribute(element, 'c') ?? 1) || 1, maxSpaces))
    case 'tab':
      return '\t'
    case 'line-break':
      return '<br>'
    case 'a':
      return `<a href="${escapeHtml(attribute(element, 'href') ?? '')}">${inner()}</a>`
    case 'list-item':
      return `<li>${listItemHtml(element, styles)}</li>`
    case 'list':
      return list(element, inner(), styles)
    case 'note':
      return ` [${descendants(element, 'note-body')
        .map((body) => escapeHtml(textOf(body).trim()))
        .join(' ')}]`
    case 'notes':
      return notes(inner())
    case 'frame':
      return attribute(element, 'class') === 'title' ? heading(2, escapeHtml(textOf(element).trim())) : inner()
    default:
      return inner()
  }
}

/** An item with one paragraph becomes a tight list item. */
function listItemHtml(element: Element, styles: OdfStyles): string {
  return childElements(element)
    .map((part, index) =>
      index === 0 && part.name === 'p' ? styled(part, odfHtml(part, styles), styles) : elementHtml(part, styles),
    )
    .join('')
}

function heading(level: number, inner: string): string {
  const depth = level >= 1 && level <= 6 ? level : 6
  return `<h${depth}>${inner}</h${depth}>`
}

/** Formats speaker notes; most slides have an empty frame for them. */
function notes(inner: string): string {
  return inner.replaceAll(/<[^>]*>/g, '').trim() === '' ? '' : `<p><strong>Notes:</strong></p>${inner}`
}

function list(element: Element, inner: string, { numbered }: OdfStyles): string {
  const tag = numbered.has(attribute(element, 'style-name') ?? '') ? 'ol' : 'ul'
  return `<${tag}>${inner}</${tag}>`
}

function styled(element: Element, inner: string, { bold, italic }: OdfStyles): string {
  const style = attribute(element, 'style-name') ?? ''
  const slanted = italic.has(style) ? `<em>${inner}</em>` : inner
  return bold.has(style) ? `<strong>${slanted}</strong>` : slanted
}
