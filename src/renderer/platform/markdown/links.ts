/** Target of a link in an answer. Model output is not trusted, so links with other schemes become plain text. */
export type LinkTarget =
  | { kind: 'web'; url: string }
  | { kind: 'file'; path: string; line?: number; column?: number; heading?: string }
  | { kind: 'heading'; heading: string }
  | { kind: 'none' }

const scheme = /^[a-z][a-z0-9+.-]*:/i
const position = /^(.*?)(?::(\d+)(?::(\d+))?|#L(\d+)(?:-L?\d+)?|#(.+))?$/

/**
 * Parses the `href` of a Markdown link.
 * @returns an http(s) URL, the heading of a `#fragment`, or a path with an optional `:line:column`, `#Lline` or heading
 */
export function linkTarget(href: string | undefined): LinkTarget {
  const text = href?.trim() ?? ''
  if (text === '' || text === '#' || text.startsWith('//')) return { kind: 'none' }
  if (text.startsWith('#')) return { kind: 'heading', heading: decoded(text.slice(1)) }
  if (/^https?:/i.test(text)) {
    return URL.canParse(text) ? { kind: 'web', url: new URL(text).href } : { kind: 'none' }
  }
  const found = position.exec(decoded(text))
  const path = found?.[1] ?? ''
  // `src/a.ts:3` is a path, but `javascript:3` is a URL: a scheme has no dot or slash before its colon.
  if (path === '' || scheme.test(path) || (/^[a-z][a-z0-9+-]*:/i.test(text) && !/[./]/.test(path)))
    return { kind: 'none' }
  const line = found?.[2] ?? found?.[4]
  const column = found?.[3]
  const heading = found?.[5]
  return {
    kind: 'file',
    path,
    ...(line && { line: Number(line) }),
    ...(column && { column: Number(column) }),
    ...(heading && { heading }),
  }
}

/** Pure: returns the fragments of headings as GitHub does. Repeated headings end in `-1`, `-2` and so on. */
export function headingFragments(headings: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => {
    const fragment = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(fragment) ?? 0
    counts.set(fragment, count + 1)
    return count === 0 ? fragment : `${fragment}-${count}`
  })
}

/** Pure: returns the 1-based line of a heading in Markdown; undefined if there is none. Skips code blocks. */
export function headingLine(markdown: string, fragment: string): number | undefined {
  let fence: string | undefined
  const headings: { line: number; text: string }[] = []
  for (const [index, line] of markdown.split('\n').entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
    const text = fence === undefined ? /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1] : undefined
    if (text !== undefined) headings.push({ line: index + 1, text: text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') })
  }
  const at = headingFragments(headings.map(({ text }) => text)).indexOf(fragment.toLowerCase())
  return headings[at]?.line
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text is not percent-encoded.
    return text
  }
}
