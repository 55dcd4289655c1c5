import { useEffect, useMemo, useState, type KeyboardEvent } from 'react'
import type { Match } from '../../shared/tool.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural, pluralNoun } from '../../shared/plural.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { useLayout } from '../platform/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { EmptyState, Icon, IconButton, Spinner, VirtualList } from '../ui/index.ts'
import { search } from './windowSearch.ts'
import './search.css'
import { searchRows, useSearch, type SearchOptions, type SearchRow } from './searchStore.ts'

/** Maximum number of characters shown before a match, so that a narrow panel shows the match. */
const maxTextBefore = 12

/** Splits a line into the text before its first match, the match, and the rest. Both ends are truncated. */
function splitAtMatch({ text, column = 1 }: Match, { query, regex }: SearchOptions): [string, string, string] {
  const at = column - 1
  const hit = regex ? '' : text.slice(at, at + query.length)
  const before = text.slice(0, at).trimStart()
  const truncatedBefore = before.length > maxTextBefore ? `…${before.slice(-maxTextBefore)}` : before
  return [truncatedBefore, hit, text.slice(at + hit.length, at + 300)]
}

function SearchToggle({
  option,
  icon,
  label,
}: {
  option: 'caseSensitive' | 'wholeWord' | 'regex'
  icon: string
  label: string
}) {
  const on = useSearch((state) => state.options[option])
  return (
    <IconButton
      icon={icon}
      label={label}
      aria-pressed={on}
      className="search-toggle"
      onClick={() => search.change({ [option]: !on })}
    />
  )
}

function Row({ row, active, options }: { row: SearchRow; active: boolean; options: SearchOptions }) {
  if (row.kind === 'file') {
    const slash = row.path.lastIndexOf('/')
    const { icon, color } = fileIcon(row.path)
    return (
      <div
        className="search-file"
        role="treeitem"
        aria-level={1}
        aria-expanded={!row.folded}
        aria-selected={active}
        title={row.path}
        onClick={() => search.toggleFolded(row.path)}
      >
        <Icon name={row.folded ? 'chevron-right' : 'chevron-down'} className="explorer-twistie" />
        <Icon name={icon} color={color} />
        <span className="search-name">{row.path.slice(slash + 1)}</span>
        <span className="search-folder">{slash < 0 ? '' : row.path.slice(0, slash)}</span>
        <span className="ui-badge">
          {row.count} <span className="visually-hidden">{pluralNoun(row.count, 'match', 'matches')}</span>
        </span>
      </div>
    )
  }
  const [before, hit, after] = splitAtMatch(row.match, options)
  return (
    <div
      className="search-match"
      role="treeitem"
      aria-level={2}
      aria-selected={active}
      title={row.match.text.trim()}
      onClick={() => openMatch(row.match, false)}
    >
      <span className="search-line">
        <span className="visually-hidden">Line</span> {row.match.line}
      </span>{' '}
      <span className="search-text">
        {before}
        <mark>{hit}</mark>
        {after}
      </span>
    </div>
  )
}

function openMatch(match: Match, focus: boolean): void {
  attempt(() => openFile(match.path, { line: match.line, column: match.column ?? 1 }, { focus, preview: !focus }))
}

function Summary() {
  const { state, total, matches, truncated, problem } = useSearch()
  if (state === 'searching') return <Spinner label="Searching" />
  if (state === 'failed')
    return (
      <span className="search-problem" role="alert">
        {problem}
      </span>
    )
  if (state === 'idle' || total === 0) return null
  const files = new Set(matches.map(({ path }) => path)).size
  return (
    <span role="status">
      {plural(total, 'match', 'matches')} in {plural(files, 'file')}
      {truncated && `. The first ${formatNumber(matches.length)} are shown. Narrow the search to see the others.`}
    </span>
  )
}

/** Text search in the open folder. Arrow keys navigate the results, Enter opens a match. */
export function SearchPanel() {
  const { options, state, matches, folded } = useSearch()
  const rows = useMemo(() => searchRows(matches, folded), [matches, folded])
  const [active, setActive] = useState(0)
  const [details, setDetails] = useState(options.include !== '')
  const view = useLayout(({ sideBar }) => sideBar)

  useEffect(() => attempt(search.searchAgain), [])
  useEffect(() => {
    document.querySelector<HTMLInputElement>('#search-query')?.select()
  }, [view])

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[active]
    if (event.key === 'ArrowDown') setActive(Math.min(rows.length - 1, active + 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(0, active - 1))
    else if (event.key === 'Home') setActive(0)
    else if (event.key === 'End') setActive(rows.length - 1)
    else if (row?.kind === 'match' && event.key === 'Enter') openMatch(row.match, true)
    else if (row?.kind === 'file' && ['Enter', ' ', row.folded ? 'ArrowRight' : 'ArrowLeft'].includes(event.key))
      search.toggleFolded(row.path)
    else return
    event.preventDefault()
  }

  return (
    <div className="search">
      <header className="sidebar-header">
        <h2 className="sidebar-title">Search</h2>
        <IconButton
          icon="ellipsis"
          label="Files to include"
          aria-pressed={details}
          onClick={() => setDetails(!details)}
        />
        <IconButton icon="clear-all" label="Clear search" onClick={() => search.reset()} />
      </header>
      <div className="search-form">
        <div className="search-query">
          <input
            id="search-query"
            className="ui-input"
            aria-label="Search"
            placeholder="Search in files"
            value={options.query}
            spellCheck={false}
            data-autofocus
            onChange={(event) => search.change({ query: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') attempt(search.search)
              else if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.search-results')?.focus()
            }}
          />
          <div className="search-toggles">
            <SearchToggle option="caseSensitive" icon="case-sensitive" label="Match case" />
            <SearchToggle option="wholeWord" icon="whole-word" label="Match whole word" />
            <SearchToggle option="regex" icon="regex" label="Use regular expression" />
          </div>
        </div>
        {details && (
          <input
            className="ui-input"
            aria-label="Files to include"
            placeholder="Files to include, e.g. src/**, *.ts"
            value={options.include}
            spellCheck={false}
            onChange={(event) => search.change({ include: event.target.value })}
          />
        )}
      </div>
      <div className="search-summary">
        <Summary />
      </div>
      {state === 'done' && rows.length === 0 ? (
        <EmptyState icon="search-stop" title="No matches">
          Check the spelling, or turn off “Match case” and “Match whole word”. Files that Git ignores are not searched.
        </EmptyState>
      ) : state === 'idle' ? (
        <EmptyState icon="search" title="Search the folder">
          Type the text to find. Files that Git ignores are not searched.
        </EmptyState>
      ) : (
        <VirtualList
          className="search-results"
          role="tree"
          aria-label="Search results"
          tabIndex={0}
          items={rows}
          rowHeight={24}
          activeIndex={active}
          keyOf={(row) => (row.kind === 'file' ? row.path : row.id)}
          renderRow={(row, index) => <Row row={row} active={index === active} options={options} />}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  )
}
