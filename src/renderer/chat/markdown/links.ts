/** Where a link in an answer leads. A model's text is not trusted: what is none of these is shown as plain text. */
export type LinkTarget =
  | { kind: 'web'; url: string }
  | { kind: 'file'; path: string; line?: number; column?: number }
  | { kind: 'none' }

const scheme = /^[a-z][a-z0-9+.-]*:/i
const position = /^(.*?)(?::(\d+)(?::(\d+))?|#L(\d+)(?:-L?\d+)?)?$/

/**
 * @param href as it stands in the Markdown.
 * @returns http(s) addresses, or paths inside the workspace with an optional `:line:column` or `#Lline`.
 */
export function linkTarget(href: string | undefined): LinkTarget {
  const text = href?.trim() ?? ''
  if (text === '' || text.startsWith('#') || text.startsWith('//')) return { kind: 'none' }
  if (/^https?:/i.test(text)) {
    return URL.canParse(text) ? { kind: 'web', url: new URL(text).href } : { kind: 'none' }
  }
  const found = position.exec(decoded(text))
  const path = found?.[1] ?? ''
  // `src/a.ts:3` is a place, `javascript:3` is not: a scheme has neither a dot nor a slash before its colon.
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
    // Not percent-encoded after all: the text itself is the path.
    return text
  }
}
