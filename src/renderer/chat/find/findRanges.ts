/** Elements that separate text. A match cannot span two of them. */
const blocks = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, div, figure, button, section, article, header'

/** Maximum number of highlighted matches. */
export const maxFound = 2000

/** Finds a text in an element's visible text, ignoring case. A match can span inline elements, such as bold words. */
export function findRanges(root: Element, query: string): Range[] {
  const wanted = query.toLowerCase()
  const found: Range[] = []
  if (wanted === '') return found
  let nodes: Text[] = []
  let block: Element | null = null
  const search = () => {
    const text = nodes.map(({ data }) => data).join('')
    const lower = text.toLowerCase()
    // Lower case can change the length, for example of "İ", which would make positions wrong.
    const searched = lower.length === text.length ? lower : text
    for (let at = searched.indexOf(wanted); at >= 0 && found.length < maxFound; at = searched.indexOf(wanted, at)) {
      const end = at + wanted.length
      found.push(rangeOf(nodes, at, end))
      at = end
    }
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node
    if (!(node instanceof Text) || !parentElement || parentElement.closest('.visually-hidden')) continue
    const around = parentElement.closest(blocks)
    if (around !== block) {
      search()
      nodes = []
      block = around
    }
    nodes.push(node)
  }
  search()
  return found
}

/** Returns the range between two offsets in the joined text of nodes. */
function rangeOf(nodes: readonly Text[], start: number, end: number): Range {
  const range = document.createRange()
  let before = 0
  for (const node of nodes) {
    const { length } = node.data
    if (start >= before && start < before + length) range.setStart(node, start - before)
    if (end > before && end <= before + length) {
      range.setEnd(node, end - before)
      break
    }
    before += length
  }
  return range
}
