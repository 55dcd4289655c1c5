import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { FileProblems, Problem } from '../../../shared/language/languageServers.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool } from '../common/toolDefinition.ts'

/** Maximum time for the servers of a file, in milliseconds. A server may have to read the whole project first. */
const maxWait = 20_000
const maxProblems = 50

export const getDiagnostics = defineTool({
  name: 'get_diagnostics',
  title: 'Get diagnostics',
  description:
    'Lists errors and warnings that language servers (compilers, type checkers) find. With a path: those of this file now, with unsaved changes. Without: those known of open files.',
  risk: 'read',
  smallestProfile: 'full',
  schema: () => z.object({ path: z.string().min(1).optional().describe('File, relative to the workspace.') }),
  reads: ({ path }) => (path === undefined ? [] : [path]),
  examples: [{ path: 'src/users.ts' }],
  async run({ path }, { workspace, documents, languages, signal }) {
    const files = path === undefined ? languages.state().problems : [await problemsOf(path)]
    const shown = files.map(describeFile).filter((text) => text !== '')
    if (shown.length > 0) return { text: shown.join('\n\n') }
    return { text: path === undefined ? 'No problems are known in open files.' : `No problems in ${path}.` }

    async function problemsOf(given: string): Promise<FileProblems> {
      const { path: relative } = await documents.read((await workspace.resolve(given)).relative, signal)
      const found = await languages.diagnose(relative, AbortSignal.any([signal, AbortSignal.timeout(maxWait)]))
      if (found) return found
      throw new ToolError(
        'not_found',
        `No language server runs for ${relative}.`,
        "Run the project's own checks with a command instead.",
      )
    }
  },
})

function describeFile({ path, problems, more }: FileProblems): string {
  const shown = problems.filter(({ severity }) => severity !== 'hint')
  if (shown.length === 0) return ''
  const errors = shown.filter(({ severity }) => severity === 'error').length
  const head = `${path}: ${plural(errors, 'error')}, ${plural(shown.length - errors, 'other problem')}`
  const rest = Math.max(0, shown.length - maxProblems) + more
  const lines = shown.slice(0, maxProblems).map(describe)
  return [head, ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n')
}

function describe({ range, severity, message, source, code }: Problem): string {
  const origin = [source, code].filter((part) => part !== '').join(' ')
  return `${range.startLine}:${range.startColumn} ${severity}: ${message}${origin === '' ? '' : ` (${origin})`}`
}
