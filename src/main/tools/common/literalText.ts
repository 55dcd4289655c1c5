import { plural } from '../../../shared/text/plural.ts'
import type { TextQuery } from '../../search/search.ts'
import type { ToolContext } from './toolDefinition.ts'

const maxShown = 20

/**
 * After a search without matches, describes where its pattern occurs as plain text. Empty if the pattern contains no
 * special characters.
 */
export async function literalTextNote(query: TextQuery, { search, signal }: ToolContext): Promise<string> {
  const text = query.pattern.replace(/^\(\?i\)/, '')
  if (!/[\\^$.|?*+()[\]{}]/.test(text)) return ''
  const caseSensitive = text === query.pattern
  const { matches, total, files } = await search.text(
    { ...query, pattern: text, fixed: true, caseSensitive, maxResults: maxShown },
    { signal },
  )
  const read = 'The pattern was read as a regular expression.'
  if (total === 0) return /\\/.test(text) ? '' : `(${read} As plain text it occurs nowhere either.)`
  const lines = matches.map(({ path, line, text: found }) => `${path}:${line}:${found}`)
  const more = total > matches.length ? `\n… and ${plural(total - matches.length, 'more line')}` : ''
  return `(${read} As plain text it occurs in ${plural(total, 'line')} of ${plural(files, 'file')}:)\n${lines.join('\n')}${more}`
}
