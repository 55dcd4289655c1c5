import { openFile } from '../platform/editor/editorService.ts'
import type { ListedProblem, ListedSeverity } from '../platform/languages/problemsStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { pluralNoun } from '../../shared/plural.ts'
import { FileGroupRow, Icon, type MenuAnchor } from '../ui/index.ts'
import { setFolded } from './problemFilter.ts'
import type { ProblemRow } from './problemRows.ts'

export const severityTexts: Readonly<Record<ListedSeverity, { label: string; icon: string; color: string }>> = {
  error: { label: 'Error', icon: 'error', color: 'var(--color-danger)' },
  warning: { label: 'Warning', icon: 'warning', color: 'var(--color-warning)' },
  info: { label: 'Info', icon: 'info', color: 'var(--color-info)' },
}

export function openProblem({ path, problem }: Extract<ProblemRow, { kind: 'problem' }>, focus: boolean): void {
  const { startLine: line, startColumn: column } = problem.range
  attempt(() => openFile(path, { line, column }, { focus, preview: !focus }))
}

export function copyMessage({ message }: ListedProblem): void {
  attempt(async () => {
    await navigator.clipboard.writeText(message)
    notify('success', 'Copied the message.')
  }, 'The message could not be copied')
}

/** The checker and the code of its rule, e.g. "ts(2304)". */
function originOf({ source, code }: ListedProblem): string {
  return code === '' ? source : source === '' ? code : `${source}(${code})`
}

interface RowProps {
  id: string
  row: ProblemRow
  active: boolean
  onSelect: () => void
  onMenu: (anchor: MenuAnchor) => void
}

/** A file, or a problem in it. */
export function ProblemRowView({ id, row, active, onSelect, onMenu }: RowProps) {
  if (row.kind === 'file') {
    return (
      <FileGroupRow
        id={id}
        path={row.path}
        folded={row.folded}
        active={active}
        count={row.count}
        counted={pluralNoun(row.count, 'problem')}
        onClick={() => {
          onSelect()
          setFolded([row.path], !row.folded)
        }}
      />
    )
  }
  const { problem } = row
  const { label, icon, color } = severityTexts[problem.severity]
  const { startLine, startColumn } = problem.range
  return (
    <div
      id={id}
      className="ui-finding-row ui-finding-child"
      role="treeitem"
      aria-level={2}
      aria-selected={active}
      title={problem.message}
      onClick={() => {
        onSelect()
        openProblem(row, false)
      }}
      onDoubleClick={() => openProblem(row, true)}
      onContextMenu={(event) => {
        event.preventDefault()
        onSelect()
        onMenu({ x: event.clientX, y: event.clientY })
      }}
    >
      <Icon name={icon} color={color} label={label} />
      <span className="problems-message">{problem.message}</span>
      <span className="problems-origin">{originOf(problem)}</span>
      <span className="problems-position">
        Ln {startLine}, Col {startColumn}
      </span>
    </div>
  )
}
