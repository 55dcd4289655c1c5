import { z } from 'zod'
import { heavyFolders } from '../../search/globs.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { directoryAliases } from './symbolParameters.ts'
import { treeText } from '../common/treeText.ts'

const maxEntries = 200

export const listDir = defineTool({
  name: 'list_dir',
  aliases: ['list_directory'],
  title: 'List folder',
  description: `Lists a folder, folders first, at most ${maxEntries} entries. Skips hidden, git-ignored and heavy folders (node_modules, dist, …) unless \`path\` names one.`,
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().default('.').describe('Folder to list.'),
      max_depth: z.number().int().min(1).default(1).describe('Levels to list; 1: only direct children.'),
    }),
  parameterAliases: directoryAliases,
  examples: [{ path: 'src', max_depth: 2 }, {}],
  async run(args, context) {
    const tree = await context.search.tree(
      { path: args.path, depth: Math.min(args.max_depth, 1000), skip: heavyFolders },
      { signal: context.signal },
    )
    return {
      text: treeText(
        tree,
        maxEntries,
        `list a subfolder${args.max_depth > 1 ? ', lower `max_depth`,' : ''} or search for a name with find_files.`,
      ),
    }
  },
})
