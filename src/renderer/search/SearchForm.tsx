import { useState } from 'react'
import { searchOptionOf, searchToggleKeys } from '../platform/keymap/keyboardListener.ts'
import { formatKeys } from '../platform/keymap/keyNotation.ts'
import { shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { IconButton } from '../ui/index.ts'
import { countHits } from './replaceInFiles.ts'
import { openResults } from './resultsDocument.ts'
import { useSearch, search } from './searchStore.ts'
import { replaceAll, useReplacing } from './windowReplace.ts'

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
      shortcut={formatKeys(searchToggleKeys[option])}
      onClick={() => search.toggle(option)}
    />
  )
}

function focusResults(): void {
  document.querySelector<HTMLElement>('.search-results')?.focus()
}

function ReplaceField() {
  const { options, matches, state } = useSearch()
  const running = useReplacing((replacing) => replacing.cancelling !== null)
  return (
    <div className="search-replace">
      <input
        className="ui-input"
        aria-label="Replace"
        placeholder="Replace with"
        value={options.replacement}
        spellCheck={false}
        onChange={(event) => search.change({ replacement: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') attempt(search.search)
          else if (event.key === 'ArrowDown') focusResults()
        }}
      />
      <IconButton
        icon="replace-all"
        label="Replace all"
        disabled={running || state !== 'done' || countHits(matches).hits === 0}
        onClick={replaceAll}
      />
    </div>
  )
}

function GlobField({ option, label }: { option: 'include' | 'exclude'; label: string }) {
  const value = useSearch((state) => state.options[option])
  return (
    <input
      className="ui-input"
      aria-label={label}
      placeholder={`${label}, e.g. src/**, *.ts`}
      value={value}
      spellCheck={false}
      onChange={(event) => search.change({ [option]: event.target.value })}
    />
  )
}

export function SearchForm() {
  const { options, matches, state } = useSearch()
  const limited = options.include !== '' || options.exclude !== ''
  const [details, setDetails] = useState(limited)
  const [wasLimited, setWasLimited] = useState(limited)
  // "Find in folder" fills the field.
  if (limited !== wasLimited) {
    setWasLimited(limited)
    if (limited) setDetails(true)
  }
  return (
    <>
      <header className="sidebar-header">
        <h2 className="sidebar-title">Search</h2>
        <IconButton
          icon="replace"
          label="Replace"
          shortcut={shortcutOf('search.replace')}
          aria-pressed={options.replacing}
          className="search-toggle"
          onClick={() => search.change({ replacing: !options.replacing })}
        />
        <IconButton
          icon="ellipsis"
          label="Files to include or exclude"
          aria-pressed={details}
          className="search-toggle"
          onClick={() => setDetails(!details)}
        />
        <IconButton
          icon="go-to-file"
          label="Open results in an editor"
          disabled={state !== 'done' || matches.length === 0}
          onClick={() => attempt(openResults)}
        />
        <IconButton icon="clear-all" label="Clear search" onClick={() => search.reset()} />
      </header>
      <div
        className="search-form"
        onKeyDown={(event) => {
          const option = searchOptionOf(event.nativeEvent)
          if (option === null) return
          event.preventDefault()
          search.toggle(option)
        }}
      >
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
              else if (event.key === 'ArrowDown') focusResults()
            }}
          />
          <div className="search-toggles">
            <SearchToggle option="caseSensitive" icon="case-sensitive" label="Match case" />
            <SearchToggle option="wholeWord" icon="whole-word" label="Match whole word" />
            <SearchToggle option="regex" icon="regex" label="Use regular expression" />
          </div>
        </div>
        {options.replacing && <ReplaceField />}
        {details && <GlobField option="include" label="Files to include" />}
        {details && <GlobField option="exclude" label="Files to exclude" />}
      </div>
    </>
  )
}
