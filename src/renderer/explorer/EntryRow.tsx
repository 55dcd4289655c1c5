import { visibleText } from '../../shared/text/visibleText.ts'
import { dragPathsType, dragPathType as dragType } from '../platform/files/dragTypes.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import { topFolder, type WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import { plural } from '../../shared/text/plural.ts'
import { FileIcon } from '../ui/FileIcon.tsx'
import { useFileIconTheme } from '../ui/fileIconTheme.ts'
import { displayPath, useApp } from '../platform/appState.ts'
import { changeColor, type GitDecoration } from '../platform/git/decorations.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { useProblems, type ProblemMark } from '../platform/languages/problemsStore.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { Icon, type MenuAnchor } from '../ui/index.ts'
import { openOrToggle } from './explorerActions.ts'
import { useFileClipboard } from './fileClipboard.ts'
import { extendSelection, targetsOf, toggleMark } from './selection.ts'
import { tree, isFolder, useTree, type TreeRow } from './fileTree.ts'

interface RowProps {
  row: Extract<TreeRow, { kind: 'entry' }>
  selected: boolean
  dropTarget: boolean
  onMenu: (anchor: MenuAnchor, entry: FileEntry) => void
}

export function EntryRow({ row: { entry, depth, expanded }, selected, dropTarget, onMenu }: RowProps) {
  const folder = isFolder(entry)
  const cut = useFileClipboard((clipboard) => clipboard.cut && clipboard.paths.includes(entry.path))
  const mark = useGit(({ decorations: { files, folders } }) => files.get(entry.path) ?? folders.get(entry.path))
  const problems = useProblems(({ marks }) => marks.get(entry.path))
  const shown = markOf(folder, mark, problems)
  const top = useApp(({ state }) => (depth === 0 ? topFolder(state?.workspace ?? null, entry.path) : undefined))
  const branch = useGit(({ repositories, statuses }) => {
    const repository = top && repositories?.find((each) => each.folder === top.name)
    return repository && (statuses[repository.id]?.branch ?? undefined)
  })
  const hidesArrows = useFileIconTheme((theme) => theme.hidesExplorerArrows)
  return (
    <div
      id={`tree-${entry.path}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={folder ? expanded : undefined}
      aria-label={entry.name}
      aria-description={shown?.description}
      title={top ? titleOfTop(top, branch) : titleOf(entry, folder && !problems ? undefined : shown?.description)}
      className="explorer-row"
      data-top={top !== undefined}
      data-path={entry.path}
      data-ignored={entry.ignored}
      data-cut={cut}
      data-drop={dropTarget}
      style={{ paddingLeft: 8 + depth * 14 }}
      draggable={top === undefined}
      onDragStart={(event) => {
        event.dataTransfer.setData(dragType, entry.path)
        event.dataTransfer.setData(dragPathsType, JSON.stringify(targetsOf(entry.path)))
      }}
      onClick={(event) => {
        if (event.shiftKey) extendSelection(entry.path)
        else if (isMac ? event.metaKey : event.ctrlKey) toggleMark(entry.path)
        else openOrToggle(entry, { focus: false })
      }}
      onDoubleClick={() => {
        if (!folder) openOrToggle(entry, { focus: true })
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (!useTree.getState().marked.has(entry.path)) tree.select(entry.path)
        onMenu({ x: event.clientX, y: event.clientY }, entry)
      }}
    >
      {!hidesArrows && (
        <Icon name={folder ? (expanded ? 'chevron-down' : 'chevron-right') : 'blank'} className="ui-twistie" />
      )}
      <FileIcon path={entry.path} kind={folder ? 'folder' : 'file'} expanded={expanded} />
      <span className="explorer-name" dir="ltr" style={shown && { color: shown.color }}>
        {visibleText(entry.name)}
      </span>
      {entry.type === 'symlink' && <Icon name="link" className="explorer-link" label="link" />}
      {shown && <span className="explorer-mark" style={{ color: shown.color }} data-letter={shown.letters} />}
    </div>
  )
}

/** Merges the marks of problems and git. The color of problems takes precedence. */
function markOf(folder: boolean, git: GitDecoration | undefined, problems: ProblemMark | undefined) {
  const gitLabel = git && (folder ? 'Contains changes' : git.label)
  if (!problems)
    return git && { color: changeColor(git.kind), letters: folder ? '•' : git.letter, description: gitLabel }
  const { severity, count } = problems
  const text = plural(count, 'problem')
  const letters = [count > 9 ? '9+' : String(count), ...(git ? [git.letter] : [])]
  return {
    color: severity === 'error' ? 'var(--color-problem-error)' : 'var(--color-warning)',
    letters: folder ? '•' : letters.join(', '),
    description: folder
      ? git
        ? `Contains ${text} and changes`
        : `Contains ${text}`
      : git
        ? `${text}, ${git.label}`
        : text,
  }
}

/** A folder of the workspace can be anywhere. */
function titleOfTop({ path }: WorkspaceFolder, branch: string | undefined): string {
  return branch === undefined ? displayPath(path) : `${displayPath(path)} • Branch ${branch}`
}

function titleOf({ path, type }: FileEntry, change: string | undefined): string {
  return `${path}${type === 'symlink' ? ' (link)' : ''}${change === undefined ? '' : ` • ${change}`}`
}
