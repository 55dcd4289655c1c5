import { useEffect, useMemo, useState, type KeyboardEvent } from 'react'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Spinner, VirtualList } from '../ui/index.ts'
import { search, searchRows, useSearch } from './searchStore.ts'
import './search.css'
import { openMatch, ResultRow } from './ResultRow.tsx'
import { SearchForm } from './SearchForm.tsx'
import { countHits } from './replaceInFiles.ts'
import { cancelReplacing, replaceRow, useReplacing } from './windowReplace.ts'

function Summary() {
  const { options, state, total, matches, truncated, problem } = useSearch()
  const progress = useReplacing((replacing) => replacing.progress)
  if (progress) {
    const { undoing, done, total: all } = progress
    return (
      <span className="search-progress" role="status">
        <progress aria-label={undoing ? 'Undoing' : 'Replacing'} value={done} max={all} />
        {undoing
          ? `Undoing: ${formatNumber(done)} of ${plural(all, 'file')}`
          : `Replacing: ${formatNumber(done)} of ${plural(all, 'file')}`}
        <Button size="small" onClick={cancelReplacing}>
          Cancel
        </Button>
      </span>
    )
  }
  if (state === 'searching') return <Spinner label="Searching" />
  if (state === 'failed')
    return (
      <span className="search-problem" role="alert">
        {problem}
      </span>
    )
  if (state === 'idle' || total === 0) return null
  const files = new Set(matches.map(({ path }) => path)).size
  const count = options.replacing && !truncated ? countHits(matches).hits : total
  return (
    <span role="status">
      {truncated
        ? `${plural(count, 'match', 'matches')}. The first ${formatNumber(matches.length)} are shown. Narrow the search to see the others.`
        : `${plural(count, 'match', 'matches')} in ${plural(files, 'file')}`}
    </span>
  )
}

/**
 * Text search in the open folder, with replace. Arrow keys navigate the results, Enter opens a match, Ctrl+Enter opens
 * it to the side, Delete dismisses it, and Ctrl+Shift+1 replaces it.
 */
export function SearchPanel() {
  const { options, state, matches, folded } = useSearch()
  const rows = useMemo(() => searchRows(matches, folded), [matches, folded])
  const [selected, setSelected] = useState(0)
  const active = Math.min(selected, rows.length - 1)
  const view = useLayout(({ sideBar }) => sideBar)

  useEffect(() => attempt(search.searchAgain), [])
  useEffect(() => {
    document.querySelector<HTMLInputElement>('#search-query')?.select()
  }, [view])

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[active]
    if (event.key === 'ArrowDown') setSelected(Math.min(rows.length - 1, active + 1))
    else if (event.key === 'ArrowUp') setSelected(Math.max(0, active - 1))
    else if (event.key === 'Home') setSelected(0)
    else if (event.key === 'End') setSelected(rows.length - 1)
    else if (row && event.key === 'Delete') search.dismiss(row)
    else if (row && event.code === 'Digit1' && event.shiftKey && (event.ctrlKey || event.metaKey)) replaceRow(row)
    else if (row?.kind === 'match' && event.key === 'Enter') openMatch(row, true, isMac ? event.metaKey : event.ctrlKey)
    else if (row?.kind === 'file' && ['Enter', ' ', row.folded ? 'ArrowRight' : 'ArrowLeft'].includes(event.key))
      search.toggleFolded(row.path)
    else return
    event.preventDefault()
  }

  return (
    <div className="search">
      <SearchForm />
      <div className="search-summary">
        <Summary />
      </div>
      {state === 'done' && rows.length === 0 ? (
        <EmptyState icon="search-stop" title="No matches">
          Check the spelling, or turn off "Match case" and "Match whole word". Files that Git ignores are not searched.
        </EmptyState>
      ) : state === 'idle' ? (
        <EmptyState icon="search" title="Search in files">
          Type the text to find. Files that Git ignores are not searched.
        </EmptyState>
      ) : (
        <VirtualList
          className="search-results ui-finding-tree"
          role="tree"
          aria-label="Search results"
          aria-activedescendant={active < 0 ? undefined : `search-row-${active}`}
          tabIndex={0}
          items={rows}
          rowHeight={24}
          levelOf={({ kind }) => (kind === 'file' ? 1 : 2)}
          activeIndex={active}
          keyOf={(row) => (row.kind === 'file' ? row.path : row.id)}
          renderRow={(row, index) => (
            <ResultRow id={`search-row-${index}`} row={row} active={index === active} options={options} />
          )}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  )
}
