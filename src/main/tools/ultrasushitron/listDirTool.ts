import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { FileEntry } from '../../../shared/files/files.ts'
import type { Tree, TreeFolder, TreeNode } from '../../search/search.ts'
import { emptyTree } from '../../search/folderTree.ts'
import { treeText } from '../common/treeText.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

const maxShown = 1_000
/** Maximum number of entries to read. The result reports that a larger tree has more. */
const maxEntries = 20_000
/** Maximum depth, deeper than any real tree. */
const maxDepth = 100
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules', 'target'])

export const listDir = defineTool({
  name: 'ListDir',
  title: 'List folder',
  description:
    'Lists a folder as a tree, folders first. Skips .git, node_modules, target and git-ignored entries unless `path` names one.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('Folder to list, "." for the workspace.'),
      depth: z.number().int().min(1).default(2).describe('Levels to list; 1: only direct children.'),
      show_hidden: z.boolean().default(false).describe('Also list names that start with a dot.'),
    }),
  examples: [{ path: '.', depth: 3, show_hidden: false }],
  async run({ path, depth, show_hidden: hidden }, context) {
    const tree = await walk(path, Math.min(depth, maxDepth), hidden, context)
    return { text: treeText(tree, maxShown, `list a subfolder, lower \`depth\`, or search for a name with Find.`) }
  },
})

/** Reads level by level, so that the deepest levels of a large tree are omitted. */
async function walk(given: string, depth: number, hidden: boolean, context: ToolContext): Promise<Tree> {
  const start = await context.workspace.resolve(given)
  const tree = emptyTree(start, context.workspace)
  let inIgnored = false
  const shown = (entry: FileEntry) => (hidden || !entry.name.startsWith('.')) && (inIgnored || !entry.ignored)
  let level = [{ path: start.relative, folder: tree.root }]
  for (let at = 1; at <= depth && level.length > 0 && !tree.totalIsMinimum; at += 1) {
    const next: typeof level = []
    for (const { path, folder } of level) {
      context.signal.throwIfAborted()
      const requested = folder === tree.root
      const entries = await entriesOf(path, folder, requested, context)
      // All entries of an ignored folder are ignored. They are listed if the call names the folder.
      if (requested) inIgnored = entries.length > 0 && entries.every(({ ignored }) => ignored)
      for (const entry of entries.filter(shown)) {
        if (entry.type === 'directory' && skipped.has(entry.name)) {
          tree.skipped.push(entry.path)
          continue
        }
        const node: TreeNode = {
          name: entry.name,
          path: entry.path,
          type: entry.type === 'other' ? 'file' : entry.type,
        }
        if (entry.type === 'directory' && at < depth)
          next.push({ path: entry.path, folder: (node.folder = { nodes: [] }) })
        folder.nodes.push(node)
      }
      tree.total += folder.nodes.length
      if (tree.total >= maxEntries) {
        tree.totalIsMinimum = true
        break
      }
    }
    level = next
  }
  return tree
}

/** Lists a folder. A subfolder that cannot be listed is marked; the requested folder fails. */
async function entriesOf(
  path: string,
  folder: TreeFolder,
  requested: boolean,
  context: ToolContext,
): Promise<FileEntry[]> {
  try {
    return await context.files.list(path, context.signal)
  } catch (error) {
    if (requested || !(error instanceof ToolError) || error.code === 'cancelled') throw error
    folder.unreadable = error.message
    return []
  }
}
