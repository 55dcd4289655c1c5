import { z } from 'zod'
import { heavyFolders } from '../../search/globs.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { directoryAliases } from './symbolParameters.ts'
import { capValue } from '../common/searchReport.ts'
import { treeText } from '../common/treeText.ts'

const maxEntries = 200

export const getWorkspaceStructure = defineTool({
  name: 'get_workspace_structure',
  title: 'Show structure',
  description:
    'Shows files and folders as a tree, level by level up to a limit. Skips hidden, git-ignored and heavy folders (node_modules, target, dist, …) unless `path` names one.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().default('.').describe('Folder to start from.'),
      depth: z.number().int().min(1).default(2).describe('Levels to show.'),
      limit: z.number().int().min(1).default(50).describe(`Entries to show (at most ${maxEntries}).`),
    }),
  parameterAliases: directoryAliases,
  examples: [{ path: '.', depth: 3, limit: 100 }, {}],
  async run(args, context) {
    const limit = capValue('limit', args.limit, maxEntries)
    const tree = await context.search.tree(
      { path: args.path, depth: Math.min(args.depth, 1000), skip: heavyFolders },
      { signal: context.signal },
    )
    const narrow = `name a subfolder as \`path\`, lower \`depth\`${limit.value < maxEntries ? `, or raise \`limit\` (at most ${maxEntries})` : ''}.`
    return { text: [treeText(tree, limit.value, narrow), limit.note].filter((part) => part !== '').join('\n\n') }
  },
})
