import { openArchive, type Archive } from './zipArchive.ts'
import { markdownTable } from './csv.ts'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { odfHtml, odfStyles } from './odfHtml.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { collectPages } from './pageCollection.ts'
import { attribute, child, childElements, descendants, parseXml, textOf, type Element } from './xmlTree.ts'

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
  if (!body) throw new UnreadableError('broken', `it contains no ${kind}`)
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
      throw new UnreadableError('too_large', `a sheet has more than ${formatNumber(maxCells)} cells`)
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
      throw new UnreadableError('too_large', `a row has more than ${formatNumber(maxCells)} cells`)
    texts.push(...Array<string>(blank).fill(''), ...Array<string>(times).fill(text))
    blank = 0
  }
  return texts
}

function repeated(element: Element, name: string): number {
  const times = Number(attribute(element, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}
