import { attribute, child, childElements, descendants, escapeHtml, textOf, type Element } from './xmlTree.ts'

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
