import { useEffect, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { formatKeys, isMac } from '../platform/keymap/keyNotation.ts'
import { searchOptionOf, searchToggleKeys } from '../platform/keymap/keyboardListener.ts'
import { notify } from '../platform/notices.ts'
import { IconButton, SearchBar } from '../ui/index.ts'
import type { CellPosition, NotebookFind, NotebookSession } from './notebookSession.ts'
import {
  createCellSearch,
  findProblem,
  maxMatches,
  replacedSources,
  replacementOf,
  type CellMatch,
} from './notebookFind.ts'

const toggles = [
  { option: 'caseSensitive', icon: 'case-sensitive', label: 'Match case' },
  { option: 'wholeWord', icon: 'whole-word', label: 'Match whole word' },
  { option: 'regex', icon: 'regex', label: 'Use regular expression' },
] as const
/** With what replaces them, outputs would not be those of their cells. */
const replacingNote = 'Find in outputs (not while replacing)'

/** Finds in the texts and outputs of all cells, and replaces in the texts. Enter and Shift+Enter go to the next and the previous match. */
export default function NotebookFindBar({ session, find }: { session: NotebookSession; find: NotebookFind }) {
  const notebook = useStore(session.store, (state) => state.notebook)
  const { query, caseSensitive, wholeWord, regex, replacement, replacing, opened } = find
  const outputs = find.outputs && !replacing
  const bar = useRef<HTMLDivElement>(null)
  const search = useMemo(() => createCellSearch(), [])
  useEffect(() => search.dispose, [search])
  const problem = findProblem(find)
  const matches = useMemo(
    () =>
      notebook && problem === null ? search.find(notebook, { query, outputs, caseSensitive, wholeWord, regex }) : [],
    [notebook, problem, query, outputs, caseSensitive, wholeWord, regex, search],
  )
  useEffect(() => bar.current?.querySelector('input')?.select(), [opened])

  const order = useMemo(() => new Map(notebook?.cells.map(({ key }, index) => [key, index])), [notebook])
  const current = indexAt(matches, find.from, order)
  // Before the paint, so that decorations are never those of another query.
  useEffect(() => session.setFind({ matches, current: matches[current] }), [session, matches, current])

  // A new query shows its first match after the cursor. Edits of cells do not scroll.
  const wanted = `${query} ${caseSensitive} ${wholeWord} ${regex} ${outputs}`
  const shown = useRef('')
  useEffect(() => {
    if (shown.current === wanted) return
    shown.current = wanted
    if (matches[current]) session.reveal(matches[current])
  })

  function replace(targets: readonly CellMatch[]): void {
    if (!notebook) return
    const [first, second] = targets
    session.setSources(replacedSources(notebook, targets, replacement, regex))
    if (!first || second) return
    // Goes to the next match, which is not in the new text.
    session.setFind({ from: { key: first.key, offset: first.start + replacementOf(first, replacement, regex).length } })
    shown.current = ''
  }

  function replaceAll(): void {
    replace(matches)
    if (matches.length < maxMatches) return
    notify('warning', `Replaced ${plural(matches.length, 'match', 'matches')}, which is the most at once.`, {
      detail: 'The notebook may have more of them, after the last one that was replaced.',
    })
  }

  function close(): void {
    const view = bar.current?.closest('.notebook')
    session.closeFind()
    const { selected, editing } = session.store.getState()
    if (!editing) view?.querySelector<HTMLElement>(`[data-key="${CSS.escape(selected ?? '')}"]`)?.focus()
  }

  return (
    <div
      className="notebook-find"
      ref={bar}
      onKeyDown={(event) => {
        const option = searchOptionOf(event.nativeEvent)
        if (option === null) return
        event.preventDefault()
        session.setFind({ [option]: !find[option] })
      }}
    >
      <SearchBar
        label="Find in cells"
        query={query}
        count={problem ?? (query === '' ? '' : countText(current, matches.length))}
        found={matches.length > 0}
        onQuery={(changed) => session.setFind({ query: changed })}
        onStep={session.stepMatch}
        onClose={close}
        options={<FindToggles session={session} find={find} />}
      >
        {replacing && (
          <ReplaceRow
            replacement={replacement}
            found={matches.length > 0}
            onReplacement={(changed) => session.setFind({ replacement: changed })}
            onReplace={() => replace(matches.slice(current, current + 1))}
            onReplaceAll={replaceAll}
          />
        )}
      </SearchBar>
    </div>
  )
}

function FindToggles({ session, find }: { session: NotebookSession; find: NotebookFind }) {
  const { outputs, replacing } = find
  return (
    <>
      {toggles.map(({ option, icon, label }) => (
        <IconButton
          key={option}
          icon={icon}
          label={label}
          aria-pressed={find[option]}
          shortcut={formatKeys(searchToggleKeys[option])}
          onClick={() => session.setFind({ [option]: !find[option] })}
        />
      ))}
      <IconButton
        icon="output"
        label={replacing ? replacingNote : 'Find in outputs'}
        aria-pressed={outputs && !replacing}
        disabled={replacing}
        onClick={() => session.setFind({ outputs: !outputs })}
      />
      <IconButton
        icon="replace"
        label="Replace"
        aria-pressed={replacing}
        aria-expanded={replacing}
        onClick={() => session.setFind({ replacing: !replacing })}
      />
    </>
  )
}

interface ReplaceRowProps {
  replacement: string
  found: boolean
  onReplacement: (replacement: string) => void
  onReplace: () => void
  onReplaceAll: () => void
}

function ReplaceRow({ replacement, found, onReplacement, onReplace, onReplaceAll }: ReplaceRowProps) {
  return (
    <>
      <input
        className="ui-input"
        aria-label="Replace with"
        placeholder="Replace with"
        value={replacement}
        spellCheck={false}
        onChange={(event) => onReplacement(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (event.altKey && (event.ctrlKey || event.metaKey)) onReplaceAll()
          else onReplace()
        }}
      />
      <IconButton icon="replace" label="Replace match" shortcut="Enter" disabled={!found} onClick={onReplace} />
      <IconButton
        icon="replace-all"
        label="Replace all matches"
        shortcut={formatKeys(isMac ? 'Cmd+Alt+Enter' : 'Ctrl+Alt+Enter')}
        disabled={!found}
        onClick={onReplaceAll}
      />
    </>
  )
}

function countText(current: number, count: number): string {
  if (count === 0) return 'No matches'
  return `${formatNumber(current + 1)} of ${formatNumber(count)}${count === maxMatches ? '+' : ''}`
}

/** Returns the index of the first match from a position on, else 0. */
function indexAt(matches: readonly CellMatch[], from: CellPosition, order: ReadonlyMap<string, number>): number {
  const cell = order.get(from.key ?? '') ?? 0
  const index = matches.findIndex(({ key, output = -1, start }) => {
    const at = order.get(key) ?? 0
    if (at !== cell) return at > cell
    const part = from.output ?? -1
    return output > part || (output === part && start >= from.offset)
  })
  return Math.max(0, index)
}
