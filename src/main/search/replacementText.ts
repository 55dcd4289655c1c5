import type { TextQuery } from './searchQuery.ts'

/**
 * Pure: translates a replacement to ripgrep's syntax. With literal text it is literal. With a regular expression it is
 * read as in VS Code: `$1` to `$99`, `$0` or `$&` for the whole hit, `$$` for a dollar sign, `\n`, `\t` and `\\`, and
 * `${name}` for a named group. Other dollar signs are literal.
 */
export function ripgrepReplacement({ replacement = '', pattern, fixed }: TextQuery): string {
  if (fixed) return replacement.replaceAll('$', '$$$$')
  const names = new Set([...pattern.matchAll(/\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/g)].map(([, name]) => name))
  return replacement.replaceAll(
    /\\([nt\\])|\$(\$)|\$(&)|\$(\d{1,2})|\$\{(\w+)\}|\$/g,
    (all, escape?: string, dollar?: string, whole?: string, group?: string, name?: string) => {
      if (escape !== undefined) return escape === 'n' ? '\n' : escape === 't' ? '\t' : '\\'
      if (dollar !== undefined) return '$$'
      if (whole !== undefined) return '${0}'
      if (group !== undefined) return `\${${group}}`
      if (name !== undefined && (names.has(name) || /^\d+$/.test(name))) return all
      return all.replace('$', '$$$$')
    },
  )
}
