/** Maximum nesting of elements. Deep comment threads have a few hundred levels. */
const maxDepth = 2000
/** Maximum number of attributes of an element. */
const maxAttributes = 2000

/** Elements without content, and elements closed implicitly by the next one. They do not add to the depth. */
const notNested = new Set(
  'area base br col embed frame hr img input link meta param source track wbr a body button colgroup h1 h2 h3 h4 h5 h6 head html nobr optgroup option p rp rt'.split(
    ' ',
  ),
)
/** Elements that implicitly close open elements, up to the nearest of these parents. */
const parents: Readonly<Record<string, readonly string[] | undefined>> = {
  li: ['ul', 'ol', 'menu'],
  dt: ['dl'],
  dd: ['dl'],
  ...Object.fromEntries(['caption', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'].map((name) => [name, ['table']])),
}
/** Elements that contain only text. */
const rawText = new Set(['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'])

/**
 * Rejects HTML with deeply nested elements or too many attributes before it is parsed, because the parser takes
 * quadratic time for both.
 * @throws RangeError
 */
export function checkNesting(html: string): void {
  const open: string[] = []
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = endOf(html, '-->', at)
      continue
    }
    const name = matchAt(/[a-z][^\s/>]*/iy, html, html[at + 1] === '/' ? at + 2 : at + 1)?.toLowerCase()
    if (name === undefined) {
      at += 1
      continue
    }
    const closes = html[at + 1] === '/'
    const end = tagEnd(html, at + name.length + 1)
    if (closes) {
      const opened = open.lastIndexOf(name)
      if (opened >= 0) open.length = opened
    } else if (rawText.has(name)) {
      at = rawTextEnd(html, name, end)
      continue
    } else if (parents[name]) {
      const parent = open.findLastIndex((each) => parents[name]?.includes(each))
      if (parent >= 0) open.length = parent + 1
    } else if (!notNested.has(name) && html[end - 2] !== '/') open.push(name)
    if (open.length > maxDepth) throw new RangeError('The page has too many nested elements.')
    at = end
  }
}

/** Returns the index after a tag. @param at an index in the tag, after its name */
function tagEnd(html: string, at: number): number {
  let attributes = 0
  while (at < html.length) {
    const part = matchAt(/[^>"']*/y, html, at) ?? ''
    attributes += part.match(/\s+/g)?.length ?? 0
    if (attributes > maxAttributes) throw new RangeError('An element has too many attributes.')
    at += part.length + 1
    const stop = html[at - 1]
    if (stop === '>') return at
    if (stop !== undefined) at = endOf(html, stop, at)
  }
  return html.length
}

function rawTextEnd(html: string, name: string, from: number): number {
  const closing = /<\/([a-z]+)/gi
  closing.lastIndex = from
  for (let found = closing.exec(html); found; found = closing.exec(html))
    if (found[1]?.toLowerCase() === name) return found.index
  return html.length
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
