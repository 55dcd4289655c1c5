/** Target of a link in an answer. Model output is not trusted, so links with other schemes become plain text. */
export type LinkTarget =
  | { kind: 'web'; url: string }
  | { kind: 'file'; path: string; line?: number; column?: number }
  | { kind: 'none' }

const scheme = /^[a-z][a-z0-9+.-]*:/i
const position = /^(.*?)(?::(\d+)(?::(\d+))?|#L(\d+)(?:-L?\d+)?)?$/

/**
 * Parses the `href` of a Markdown link.
 * @returns an http(s) URL, or a path with an optional `:line:column` or `#Lline`
 */
export function linkTarget(href: string | undefined): LinkTarget {
  const text = href?.trim() ?? ''
  if (text === '' || text.startsWith('#') || text.startsWith('//')) return { kind: 'none' }
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
  return { kind: 'file', path, ...(line && { line: Number(line) }), ...(column && { column: Number(column) }) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text is not percent-encoded.
    return text
  }
}
