import { z } from 'zod'
import type { FileEntry } from '../../../shared/files/files.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool } from '../common/toolDefinition.ts'

const maxEntries = 1_000

export const fileList = defineTool({
  name: 'file_list',
  title: 'List folder',
  description: `Lists the direct children of a folder, including hidden and git-ignored ones: folders first, with a trailing "/"; ${formatNumber(maxEntries)} entries at most.`,
  risk: 'read',
  schema: () => z.object({ path: z.string().describe('Folder to list, "." for the workspace.') }),
  examples: [{ path: '.' }, { path: 'src' }],
  async run({ path }, context) {
    const entries = await context.files.list(path, context.signal)
    if (entries.length === 0) return { text: `"${path}" is empty.` }
    const shown = entries.slice(0, maxEntries)
    const rest = entries.length - shown.length
    const more =
      rest > 0
        ? `\n\n(showing ${maxEntries} of ${plural(entries.length, 'entry', 'entries')}. Search for a name with file_search.)`
        : ''
    return {
      text: shown.map(line).join('\n') + more,
      view: {
        kind: 'files',
        paths: shown.map((entry) => (entry.directory ? `${entry.path}/` : entry.path)),
        total: entries.length,
        truncated: rest > 0,
      },
    }
  },
})

function line({ name, type, directory, ignored }: FileEntry): string {
  const marks = [...(type === 'symlink' ? ['symlink'] : []), ...(ignored ? ['git-ignored'] : [])]
  return `${name}${directory ? '/' : ''}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
}
