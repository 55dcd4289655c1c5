import type { MouseEvent } from 'react'
import { openFile } from '../platform/editor/editorService.ts'
import type { ListedProblem, ListedSeverity } from '../platform/languages/problemsStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { pluralNoun } from '../../shared/text/plural.ts'
import { FileGroupRow, Icon, type MenuAnchor } from '../ui/index.ts'
import { setExpanded, setFolded } from './problemFilter.ts'
import { problemKey, type ProblemRow } from './problemRows.ts'

interface SeverityTexts {
  label: string
  /** Name of the toggle button, and its tooltips. */
  all: string
  show: string
  hide: string
  icon: string
  color: string
}

export const severityTexts: Readonly<Record<ListedSeverity, SeverityTexts>> = {
  error: {
    label: 'Error',
    all: 'Errors',
    show: 'Show errors',
    hide: 'Hide errors',
    icon: 'error',
    color: 'var(--color-danger)',
  },
  warning: {
    label: 'Warning',
    all: 'Warnings',
    show: 'Show warnings',
    hide: 'Hide warnings',
    icon: 'warning',
    color: 'var(--color-warning)',
  },
  info: {
    label: 'Info',
    all: 'Infos',
    show: 'Show infos',
    hide: 'Hide infos',
    icon: 'info',
    color: 'var(--color-info)',
  },
}

export type LocationRow = Exclude<ProblemRow, { kind: 'file' }>

/** Goes to a problem or a location that explains it. */
export function openProblem(row: LocationRow, focus: boolean): void {
  const { path, range } = row.kind === 'problem' ? { path: row.path, range: row.problem.range } : row.place
  const { startLine: line, startColumn: column } = range
  attempt(() => openFile(path, { line, column }, { focus, preview: !focus }))
}

export function copyMessage(row: LocationRow): void {
  const { message } = row.kind === 'problem' ? row.problem : row.place

  attempt(async () => {
    await navigator.clipboard.writeText(message)
    notify('success', 'Copied the message.')
  }, 'The message could not be copied')
}

/** The checker and rule code, e.g. "ts(2304)". */
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
  const handlers = {
    onClick: () => {
      onSelect()
      openProblem(row, false)
    },
    onDoubleClick: () => openProblem(row, true),
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault()
      onSelect()
      onMenu({ x: event.clientX, y: event.clientY })
    },
  }
  if (row.kind === 'related') {
    const { path, range, message } = row.place
    return (
      <div
        id={id}
        className="ui-finding-row problems-related"
        role="treeitem"
        aria-level={3}
        aria-selected={active}
        title={`${message} (${path})`}
        {...handlers}
      >
        <Icon name="link" />
        <span className="problems-message">{message}</span>
        <span className="problems-origin">{path.slice(path.lastIndexOf('/') + 1)}</span>
        <span className="problems-position">{`Ln ${range.startLine}, Col ${range.startColumn}`}</span>
      </div>
    )
  }
  const { path, problem, expanded } = row
  const { label, icon, color } = severityTexts[problem.severity]
  const { startLine, startColumn } = problem.range
  return (
    <div
      id={id}
      className="ui-finding-row ui-finding-child"
      role="treeitem"
      aria-level={2}
      aria-selected={active}
      aria-expanded={expanded ?? undefined}
      title={problem.message}
      {...handlers}
    >
      {expanded !== null && (
        <span
          className="problems-twistie"
          onClick={(event) => {
            event.stopPropagation()
            onSelect()
            setExpanded(problemKey(path, problem), !expanded)
          }}
        >
          <Icon name={expanded ? 'chevron-down' : 'chevron-right'} className="ui-twistie" />
        </span>
      )}
      <Icon name={icon} color={color} label={label} />
      <span className="problems-message">{problem.message}</span>
      <span className="problems-origin">{originOf(problem)}</span>
      <span className="problems-position">{`Ln ${startLine}, Col ${startColumn}`}</span>
    </div>
  )
}
