import { useEffect, useState } from 'react'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { SearchBar } from '../ui/index.ts'
import { terminalView, useTerminalFind, type FoundInTerminal } from './terminalViews.ts'

function countText(query: string, found: FoundInTerminal | null): string {
  if (query === '' || !found) return ''
  if (found.count === 0) return 'No matches'
  // xterm.js selects no match beyond the highlight limit.
  return found.index < 0
    ? `${formatNumber(found.count)}+`
    : `${formatNumber(found.index + 1)} of ${formatNumber(found.count)}`
}

/** Search field for a job's terminal, shown on request. */
export function TerminalFind({ jobId }: { jobId: string }) {
  const finding = useTerminalFind((state) => state.finding === jobId)
  return finding && <OpenFind jobId={jobId} />
}

function OpenFind({ jobId }: { jobId: string }) {
  const [query, setQuery] = useState('')
  const found = useTerminalFind((state) => (state.found?.jobId === jobId ? state.found : null))
  useEffect(() => () => terminalView(jobId)?.find('', 1), [jobId])
  return (
    <SearchBar
      label="Find in terminal"
      query={query}
      count={countText(query, found)}
      found={found !== null && found.count > 0}
      onQuery={(changed) => {
        setQuery(changed)
        const view = terminalView(jobId)
        // Start from the end, where the newest output is.
        view?.clearSelection()
        view?.find(changed, -1)
      }}
      onStep={(step) => terminalView(jobId)?.find(query, step)}
      onClose={() => {
        useTerminalFind.setState({ finding: null, found: null })
        terminalView(jobId)?.focus()
      }}
    />
  )
}
