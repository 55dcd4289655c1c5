import domino, { type DomDocument, type DomElement } from '@mixmark-io/domino'
import TurndownService from 'turndown'

/** The main content of a web page. */
export interface Page {
  title: string
  markdown: string
  /** Text in it that browsers show nobody, by the styles of its elements alone. */
  invisible: string
}

/** Styles that make text invisible. */
const invisibleStyle =
  /(?:^|[;\s])(?:opacity\s{0,5}:\s{0,5}0(?:\.0{1,5})?|font-size\s{0,5}:\s{0,5}(?:0[a-z%]{0,3}|1px)|color\s{0,5}:\s{0,5}transparent|(?:left|top|text-indent)\s{0,5}:\s{0,5}-\d{4,6}px)\s{0,5}(?:;|!|$)/i
const maxInvisible = 20_000

/** Elements that are removed: scripts, styles, media, form controls, navigation and hidden elements. */
const removedElements = [
  'script',
  'style',
  'noscript',
  'template',
  'link',
  'meta',
  'svg',
  'canvas',
  'iframe',
  'object',
  'embed',
  'audio',
  'video',
  'dialog',
  'button',
  'input',
  'select',
  'textarea',
  'nav',
  'body > header',
  'body > footer',
  '[role=navigation]',
  '[role=banner]',
  '[role=contentinfo]',
  '[role=search]',
  '[hidden]',
  '[aria-hidden=true]',
  '[style*="display:none"]',
  '[style*="display: none"]',
].join(',')

/**
 * Converts the main part of a page to Markdown, without menus and scripts. Links become absolute and images their
 * description. Loads nothing and runs no scripts. Deep nesting overflows the stack (`RangeError`), so run it in a
 * worker.
 * @param base address of the page
 */
export function pageMarkdown(html: string, base: string): Page {
  const document = domino.createDocument(html)
  const title = collapseWhitespace(document.title)
  for (const element of Array.from(document.querySelectorAll(removedElements))) element.remove()
  for (const link of Array.from(document.querySelectorAll('a[href]'))) rewriteLink(link, base)
  const invisible = Array.from(document.querySelectorAll('[style]'))
    .filter((element) => invisibleStyle.test(element.getAttribute('style') ?? ''))
    .map((element) => collapseWhitespace(element.textContent))
    .join('\n')
    .slice(0, maxInvisible)
  return { title, invisible, markdown: converter().turndown(mainPart(document)).trim() }
}

/** Returns the element marked as main content, unless it contains little of the text. */
function mainPart(document: DomDocument): DomElement {
  const { body } = document
  const candidates = ['main', '[role=main]', 'article'].map((selector) => document.querySelectorAll(selector))
  const only = candidates.find((found) => found.length === 1)?.[0]
  return only && collapseWhitespace(only.textContent).length * 4 >= collapseWhitespace(body.textContent).length
    ? only
    : body
}

function rewriteLink(link: DomElement, base: string): void {
  const href = link.getAttribute('href') ?? ''
  const url = URL.parse(href, base)
  if (href.startsWith('#') || url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    link.removeAttribute('href')
  else link.setAttribute('href', url.href)
}

function converter(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    emDelimiter: '*',
  })
  // Models read the text; escaping underscores would only change names.
  service.escape = (text) => text
  return service
    .addRule('pre', { filter: 'pre', replacement: (_, node) => fenced(node) })
    .addRule('image', {
      filter: 'img',
      replacement: (_, node) =>
        node.getAttribute('alt')?.trim() ? `[image: ${collapseWhitespace(node.getAttribute('alt') ?? '')}]` : '',
    })
    .addRule('cell', {
      filter: ['th', 'td'],
      replacement: (content) => ` ${collapseWhitespace(content).replaceAll('|', '\\|')} |`,
    })
    .addRule('row', {
      filter: 'tr',
      replacement: (content, node) => `|${content}\n${isFirstRow(node) ? separator(node) : ''}`,
    })
    .addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
    .addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })
}

function fenced(node: DomElement): string {
  const names = `${node.className} ${node.firstElementChild?.className ?? ''}`
  const language = /(?:^|[\s-])(?:lang|language|source)-([\w+#-]+)/.exec(names)?.[1] ?? ''
  const text = node.textContent.replace(/^\n|\s+$/g, '')
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`
}

function isFirstRow(row: DomElement): boolean {
  const group = row.parentNode
  return (
    row.previousElementSibling === null &&
    (group === null || group.nodeName === 'TABLE' || group.previousElementSibling === null)
  )
}

function separator(row: DomElement): string {
  return `|${' --- |'.repeat(row.children.length)}\n`
}

/** Collapses whitespace to single spaces. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
