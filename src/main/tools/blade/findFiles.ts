import { z } from 'zod'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { dependencyFolders, compileGlobMatcher } from '../../search/globs.ts'
import type { TreeFolder, TreeNode } from '../../search/search.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { checkNamePattern, skippedNote, joinSections } from '../common/searchReport.ts'
import { unreadableFolders } from '../common/treeText.ts'

const maxEntries = 200
/** Maximum depth, deeper than any real tree. */
const anyDepth = 1000

export const findFiles = defineTool({
  name: 'find_files',
  title: 'Find files by name',
  description: `Finds files and folders whose name contains a text, ignoring case; returns at most ${maxEntries} paths, folders with a trailing "/". Hidden, git-ignored and dependency entries are skipped. For patterns with wildcards use find_files_glob.`,
  risk: 'read',
  schema: () =>
    z.object({
      pattern: z.string().describe('Part of a name, without wildcards.'),
      path: z.string().default('.').describe('Folder to search.'),
      max_depth: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe('Levels to search; 1: only direct children of `path`. Default: no limit.'),
    }),
  examples: [{ pattern: 'test', path: 'src', max_depth: 5 }, { pattern: 'readme' }],
  async run(args, context) {
    checkNamePattern(args.pattern, 'to see everything use list_dir')
    const tree = await context.search.tree(
      { path: args.path, depth: Math.min(args.max_depth ?? anyDepth, anyDepth), skip: dependencyFolders },
      { signal: context.signal },
    )
    const wanted = args.pattern.trim().normalize('NFC').toLowerCase()
    // A pattern with "/" is compared with the path, any other with the name.
    const isFound = ({ name, path }: TreeNode) =>
      (wanted.includes('/') ? path : name).normalize('NFC').toLowerCase().includes(wanted)
    const all = entries(tree.root)
    const exact = all.filter(isFound)
    const glob =
      exact.length === 0 && /[*?[{]/.test(wanted) ? compileGlobMatcher(wanted, { caseSensitive: false }) : undefined
    const inFolder = (path: string) => (tree.path === '.' ? path : path.slice(tree.path.length + 1))
    const found = (glob ? all.filter(({ path }) => glob(inFolder(path))) : exact).map(({ path, type }) =>
      type === 'directory' ? `${path}/` : path,
    )
    const paths = found.slice(0, maxEntries)
    const list =
      paths.length > 0
        ? paths.join('\n')
        : `No name in "${args.path}" contains "${args.pattern}" (${plural(tree.total, 'entry', 'entries')} searched). ${skippedNote('names')}\nNext: ${/[*?[{]/.test(args.pattern) ? 'use find_files_glob for wildcards' : 'try a shorter part of the name'}${args.max_depth === undefined ? '' : ', omit `max_depth`'}, or search the contents with grep_search.`
    const least = tree.totalIsMinimum ? 'at least ' : ''
    const more =
      found.length > paths.length || tree.totalIsMinimum
        ? `(showing ${paths.length} of ${least}${plural(found.length, 'entry', 'entries')}: ${least}${formatNumber(found.length - paths.length)} more. To narrow: name a subfolder as \`path\`, or pass more of the name.)`
        : ''
    return {
      text: joinSections(list, more, unreadableFolders(tree)),
      view: {
        kind: 'files',
        paths,
        total: found.length,
        truncated: found.length > paths.length || tree.totalIsMinimum,
      },
    }
  },
})

/** Returns all entries, folders before their content. */
function entries(folder: TreeFolder): TreeNode[] {
  return folder.nodes.flatMap((node) => [node, ...(node.folder ? entries(node.folder) : [])])
}
