import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { Tree, TreeFolder, TreeNode } from '../../search/search.ts'

/**
 * Formats a tree as text, indented by two spaces per level, folders with a trailing `/`. If the limit is reached, each
 * level is shown completely before the next, so that a large folder does not hide its siblings. Each folder shows how
 * many entries are missing.
 * @param narrow hint for seeing the rest
 */
export function treeText(tree: Tree, limit: number, narrow: string): string {
  const shown = firstByLevel(tree.root, limit)
  const lines = [`Directory: ${tree.absolute}`, ...folderLines(tree.root, shown, '')]
  if (tree.total === 0) lines.push('(empty, except for hidden, ignored or skipped entries)')
  const least = tree.totalIsMinimum ? 'at least ' : ''
  if (tree.total > shown.size) {
    lines.push(
      '',
      `(showing ${formatNumber(shown.size)} of ${least}${plural(tree.total, 'entry', 'entries')}: ${least}${formatNumber(tree.total - shown.size)} more. To narrow: ${narrow})`,
    )
  }
  if (tree.skipped.length > 0) {
    const names = tree.skipped.slice(0, 8).map((path) => `${path}/`)
    lines.push(
      '',
      `(Not listed: ${names.join(', ')}${tree.skipped.length > 8 ? ` and ${tree.skipped.length - 8} more` : ''}. Pass one as \`path\` to see it.)`,
    )
  }
  const unreadable = unreadableFolders(tree)
  if (unreadable !== '') lines.push('', unreadable)
  return lines.join('\n')
}

/** Reports folders that could not be listed. Empty if there are none. */
export function unreadableFolders(tree: Tree): string {
  const found: string[] = []
  const visit = (folder: TreeFolder): void => {
    for (const node of folder.nodes) {
      if (node.folder?.unreadable !== undefined) found.push(`${node.path}: ${node.folder.unreadable}`)
      if (node.folder) visit(node.folder)
    }
  }
  visit(tree.root)
  return found.length === 0
    ? ''
    : `(These folders could not be listed: ${found.slice(0, 5).join('; ')}${found.length > 5 ? `; and ${found.length - 5} more` : ''}.)`
}

function firstByLevel(root: TreeFolder, limit: number): Set<TreeNode> {
  const shown = new Set<TreeNode>()
  for (let level = [root]; level.length > 0 && shown.size < limit;) {
    const nodes = level.flatMap((folder) => folder.nodes)
    for (const node of nodes.slice(0, limit - shown.size)) shown.add(node)
    level = nodes.flatMap((node) => node.folder ?? [])
  }
  return shown
}

function folderLines(folder: TreeFolder, shown: ReadonlySet<TreeNode>, indent: string): string[] {
  const nodes = folder.nodes.filter((node) => shown.has(node))
  const missing = folder.nodes.length - nodes.length
  const lines = nodes.flatMap((node) => {
    const mark = node.type === 'directory' ? '/' : node.type === 'symlink' ? ' (symlink)' : ''
    return [`${indent}${node.name}${mark}`, ...(node.folder ? folderLines(node.folder, shown, `${indent}  `) : [])]
  })
  return missing > 0 ? [...lines, `${indent}… ${missing} more`] : lines
}
