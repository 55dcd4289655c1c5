import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { CodeActionList } from '../../../shared/language/languageServers.ts'
import { applyServerEdits, previewServerEdits } from '../common/applyServerEdits.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

interface ActionArguments {
  path: string
  line: number
  action?: string | undefined
}

export const codeActions = defineTool({
  name: 'code_actions',
  title: 'Code actions',
  description:
    'Lists the quick fixes that language servers offer for a line, such as adding a missing import. With `action`, applies the one with this title.',
  risk: 'write',
  riskOf: ({ action }) => (action === undefined ? 'read' : 'write'),
  smallestProfile: 'full',
  schema: () =>
    z.object({
      path: z.string().min(1).describe('File, relative to the workspace.'),
      line: z.number().int().min(1).describe('Line with the problem.'),
      action: z.string().min(1).max(500).optional().describe('Title of the action to apply.'),
    }),
  reads: ({ path }) => [path],
  preview: async (args, context) => previewServerEdits(await editsOf(args, context), context),
  examples: [{ path: 'src/users.ts', line: 1 }],
  async run(args, context) {
    if (args.action !== undefined)
      return applyServerEdits(`Applied "${args.action}"`, await editsOf(args, context), context)
    const { actions } = await listOf(args, context)
    const usable = actions.filter(({ disabled }) => disabled === '')
    if (usable.length === 0) return { text: `There are no actions for line ${args.line} of ${args.path}.` }
    return { text: ['Actions:', ...usable.map(({ title }) => `- ${title}`)].join('\n') }
  },
})

/** @throws ToolError not_found if no server runs for the file; out_of_range */
async function listOf({ path, line }: ActionArguments, context: ToolContext): Promise<CodeActionList> {
  const { documents, languages, signal } = context
  const { path: relative, text } = await documents.read(path, signal)
  const found = text.split('\n')[line - 1]
  if (found === undefined)
    throw new ToolError('out_of_range', `${relative} has no line ${line}.`, 'Read the file to see its lines.')
  // Servers offer fixes only for problems that they have reported.
  await languages.diagnose(relative, signal)
  const range = { startLine: line, startColumn: 1, endLine: line, endColumn: found.length + 1 }
  const list = await languages.codeActions({ path: relative, range }, signal)
  if (list) return list
  throw new ToolError('not_found', `No language server runs for ${relative}.`, 'Edit the file yourself.')
}

/** @throws ToolError no_match if there is no such action */
async function editsOf(args: ActionArguments, context: ToolContext) {
  const { id, actions } = await listOf(args, context)
  const chosen = actions.find(({ title, disabled }) => title === args.action && disabled === '')
  if (!chosen) {
    const titles = actions.map(({ title }) => `"${title}"`).join(', ')
    throw new ToolError(
      'no_match',
      `There is no action "${args.action ?? ''}" for this line.`,
      titles === '' ? 'The line has no actions.' : `Choose one of: ${titles}.`,
    )
  }
  return context.languages.runCodeAction(id, chosen.index, context.signal)
}
