import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { plural } from '../../shared/text/plural.ts'
import { useWorkspace } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { formatKeys, isMac } from '../platform/keymap/keyNotation.ts'
import { useLanguages } from '../platform/languages/languageStore.ts'
import { listedSeverities, useProblems } from '../platform/languages/problemsStore.ts'
import {
  Button,
  EmptyState,
  IconButton,
  Menu,
  ToggleButton,
  VirtualList,
  type MenuAnchor,
  type MenuItem,
} from '../ui/index.ts'
import {
  setExpanded,
  setFolded,
  showAllProblems,
  toggleSeverity,
  useProblemFilter,
  useProblemsFocus,
} from './problemFilter.ts'
import { problemKey, problemRows, type ProblemRow } from './problemRows.ts'
import { copyMessage, openProblem, ProblemRowView, severityTexts, type LocationRow } from './ProblemRowView.tsx'
import './problems.css'

/** Milliseconds without a change until the counts are announced, so that typing does not flood screen readers. */
const announceDelayMs = 1500

/** Announces the counts once they are stable. */
function Announcement() {
  const { error, warning, info } = useProblems((state) => state.counts)
  const text = `${plural(error, 'error')}, ${plural(warning, 'warning')}, ${plural(info, 'info', 'infos')}`
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(text), announceDelayMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span className="visually-hidden" role="status">
      {announced}
    </span>
  )
}

function FilterBar({ rows }: { rows: readonly ProblemRow[] }) {
  const { text, shown } = useProblemFilter()
  const counts = useProblems((state) => state.counts)
  const more = useProblems((state) => state.more)
  return (
    <div className="problems-bar">
      <input
        className="ui-input"
        type="search"
        aria-label="Filter problems"
        placeholder="Filter by message, file, source or code"
        value={text}
        spellCheck={false}
        onChange={(event) => useProblemFilter.setState({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.problems-list')?.focus()
        }}
      />
      {listedSeverities.map((severity) => {
        const { icon, color, ...texts } = severityTexts[severity]
        return (
          <ToggleButton
            key={severity}
            icon={icon}
            iconColor={color}
            pressed={shown[severity]}
            aria-label={`${texts.all}: ${counts[severity]}`}
            title={shown[severity] ? texts.hide : texts.show}
            onClick={() => toggleSeverity(severity)}
          >
            {counts[severity]}
          </ToggleButton>
        )
      })}
      {more > 0 && <span className="problems-more">{`${plural(more, 'more problem')} not listed`}</span>}
      <span className="problems-space" />
      <IconButton
        icon="collapse-all"
        label="Collapse all files"
        disabled={rows.length === 0}
        onClick={() =>
          setFolded(
            useProblems.getState().files.map(({ path }) => path),
            true,
          )
        }
      />
    </div>
  )
}

/** Shown if there are no problems. Explains whether anything looks for them. */
function NoProblems() {
  const workspace = useWorkspace()
  const servers = useLanguages((state) => state.servers)
  const running = servers.filter(({ state }) => state === 'running')
  const settings = (
    <Button data-autofocus onClick={() => runCommand('settings.languageServers')}>
      Show language servers
    </Button>
  )
  if (workspace?.restricted) {
    return (
      <EmptyState
        icon="shield"
        title="No language servers in a restricted folder"
        actions={
          <Button data-autofocus onClick={() => runCommand('trust.manage')}>
            Review trust
          </Button>
        }
      >
        Language servers run code from the folder, so they start only in folders that you trust.
      </EmptyState>
    )
  }
  if (servers.length > 0 && servers.every(({ state }) => state === 'off')) {
    return (
      <EmptyState icon="circle-slash" title="Language servers are off" actions={settings}>
        Turn them on in the settings to see errors in your files.
      </EmptyState>
    )
  }
  if (running.length === 0) {
    return (
      <EmptyState icon="info" title="No language server is running" actions={settings}>
        A server starts when you open a file of its language. Settings show which servers are installed.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="pass" title="No problems">
      {`${running.map(({ title }) => title).join(', ')} found no problems.`}
    </EmptyState>
  )
}

interface ProblemMenuProps {
  row: LocationRow
  anchor: MenuAnchor
  onClose: () => void
}

function ProblemMenu({ row, anchor, onClose }: ProblemMenuProps) {
  const items: MenuItem[] = [
    {
      id: 'open',
      label: row.kind === 'problem' ? 'Go to problem' : 'Go to location',
      icon: 'go-to-file',
      run: () => openProblem(row, true),
    },
    {
      id: 'copy',
      label: 'Copy message',
      icon: 'copy',
      shortcut: formatKeys('Mod+C'),
      run: () => copyMessage(row),
    },
  ]
  return <Menu label="Problem actions" anchor={anchor} onClose={onClose} groups={[{ items }]} />
}

/** Focuses the list, or an empty view's button, after the command that shows the view. */
function useRequestedFocus(view: RefObject<HTMLElement | null>): void {
  const { requested } = useProblemsFocus()
  useEffect(() => {
    if (!requested) return
    useProblemsFocus.setState({ requested: false })
    const target = view.current?.querySelector<HTMLElement>('[data-autofocus]')
    if (target) target.focus()
    else focusRegionNamed('panel')
  }, [requested, view])
}

/** Number of rows by which a key moves the selection. */
const keySteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }

/**
 * The problems of all files, by file. Arrow keys navigate, Enter goes to a problem, Space previews it, and Ctrl+C
 * copies its message.
 */
export function ProblemsView() {
  const files = useProblems((state) => state.files)
  const { text, shown, folded, expanded } = useProblemFilter()
  const rows = useMemo(
    () => problemRows(files, { text, shown }, folded, expanded),
    [files, text, shown, folded, expanded],
  )
  const [selected, setSelected] = useState({ id: '', index: 0 })
  const [menu, setMenu] = useState<MenuAnchor | null>(null)
  const view = useRef<HTMLDivElement>(null)
  useRequestedFocus(view)
  // Keep the selection on its row while rows above appear and disappear.
  const found = rows.findIndex(({ id }) => id === selected.id)
  const active = found >= 0 ? found : Math.min(selected.index, rows.length - 1)
  const row = rows[active]

  function select(index: number): void {
    const at = Math.max(0, Math.min(rows.length - 1, index))
    setSelected({ id: rows[at]?.id ?? '', index: at })
  }

  function moveLeftOrRight(key: string): void {
    if (!row) return
    if (row.kind === 'related') {
      if (key === 'ArrowLeft') select(rows.findIndex(({ id }) => id === row.parent))
    } else if (row.kind === 'problem') {
      if (key === 'ArrowLeft' && row.expanded !== true) select(rows.findIndex(({ id }) => id === row.path))
      else if (key === 'ArrowRight' && row.expanded === true) select(active + 1)
      else if (row.expanded !== null) setExpanded(problemKey(row.path, row.problem), key === 'ArrowRight')
    } else if (key === 'ArrowLeft') setFolded([row.path], true)
    else if (row.folded) setFolded([row.path], false)
    else select(active + 1)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event
    const step = keySteps[key]
    if (step !== undefined) select(active + step)
    else if (key === 'Home') select(0)
    else if (key === 'End') select(rows.length - 1)
    else if (key === 'ArrowLeft' || key === 'ArrowRight') moveLeftOrRight(key)
    else if (row?.kind === 'file' && (key === 'Enter' || key === ' ')) setFolded([row.path], !row.folded)
    else if (!row || row.kind === 'file') return
    else if (key === 'Enter' || key === ' ') openProblem(row, key === 'Enter')
    else if (key.toLowerCase() === 'c' && (isMac ? event.metaKey : event.ctrlKey)) copyMessage(row)
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
      const element = document.getElementById(`problem-row-${active}`)
      if (element) setMenu({ element })
    } else return
    event.preventDefault()
  }

  if (files.length === 0)
    return (
      <div ref={view} className="problems">
        <NoProblems />
      </div>
    )
  return (
    <div ref={view} className="problems">
      <Announcement />
      <FilterBar rows={rows} />
      {rows.length === 0 ? (
        <EmptyState
          icon="filter"
          title="No problem matches the filter"
          actions={<Button onClick={showAllProblems}>Clear filter</Button>}
        />
      ) : (
        <VirtualList
          className="problems-list ui-finding-tree"
          role="tree"
          aria-label="Problems"
          aria-activedescendant={`problem-row-${active}`}
          tabIndex={0}
          data-autofocus
          items={rows}
          rowHeight={24}
          levelOf={({ kind }) => (kind === 'file' ? 1 : kind === 'related' ? 3 : 2)}
          activeIndex={active}
          keyOf={({ id }) => id}
          onKeyDown={onKeyDown}
          renderRow={(each, index) => (
            <ProblemRowView
              id={`problem-row-${index}`}
              row={each}
              active={index === active}
              onSelect={() => select(index)}
              onMenu={setMenu}
            />
          )}
        />
      )}
      {menu && row && row.kind !== 'file' && <ProblemMenu row={row} anchor={menu} onClose={() => setMenu(null)} />}
    </div>
  )
}
