import { visibleText } from '../../shared/text/visibleText.ts'
import type { Match } from '../../shared/tools/tool.ts'
import { pluralNoun } from '../../shared/text/plural.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { attempt } from '../platform/notices.ts'
import { ReplacedText } from '../ui/diff/ReplacedText.tsx'
import { FileGroupRow, IconButton } from '../ui/index.ts'
import { replaceRow } from './windowReplace.ts'
import { search, type SearchOptions, type SearchRow } from './searchStore.ts'

/** Maximum number of characters shown before a match. The row cuts off what does not fit. */
const maxTextBefore = 60

const startsRightToLeft = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Pure: the direction of a line, determined by its first letter. `dir="auto"` would ignore text in `bdi`. */
function directionOf(text: string): 'ltr' | 'rtl' {
  return startsRightToLeft.test(text) ? 'rtl' : 'ltr'
}

/** Splits a line into the text before its first match, the match, and the rest, which is truncated. */
function splitAtMatch({ text, column = 1 }: Match, { query, regex }: SearchOptions): [string, string, string] {
  const at = column - 1
  const hit = regex ? '' : text.slice(at, at + query.length)
  return [text.slice(0, at), hit, text.slice(at + hit.length, at + 300)]
}

/** @param focus whether the text takes the focus. @param toSide whether it opens in the group on the right */
export function openMatch(
  { match, replacement }: Extract<SearchRow, { kind: 'match' }>,
  focus: boolean,
  toSide = false,
): void {
  const column = replacement?.column ?? match.column ?? 1
  attempt(() => openFile(match.path, { line: match.line, column }, { focus, preview: !focus, toSide }))
}

/** Buttons of a row, shown under the pointer and on the active row. The list's keys do the same. */
function RowActions({ row }: { row: SearchRow }) {
  return (
    <span className="search-actions" onClick={(event) => event.stopPropagation()}>
      <IconButton
        icon={row.kind === 'file' ? 'replace-all' : 'replace'}
        label={row.kind === 'file' ? 'Replace all in file' : 'Replace'}
        tabIndex={-1}
        onClick={() => replaceRow(row)}
      />
      <IconButton icon="close" label="Dismiss" tabIndex={-1} onClick={() => search.dismiss(row)} />
    </span>
  )
}

/** A line with its match. The text before shrinks first, so that a narrow row still shows the match. */
function MatchText({ row, options }: { row: Extract<SearchRow, { kind: 'match' }>; options: SearchOptions }) {
  const { match, replacement } = row
  const [before, hit, after] = replacement
    ? [replacement.before, null, replacement.after]
    : splitAtMatch(match, options)
  return (
    <span className="search-text" dir={directionOf(match.text)}>
      <span className="search-before">
        <bdi>{visibleText(before.trimStart().slice(-maxTextBefore))}</bdi>
      </span>
      {replacement ? (
        <span className="search-hit">
          <ReplacedText before={replacement.oldText} after={replacement.newText} />
        </span>
      ) : (
        <mark className="search-hit">{visibleText(hit ?? '')}</mark>
      )}
      <span className="search-after">{visibleText(after)}</span>
    </span>
  )
}

interface RowProps {
  row: SearchRow
  id: string
  active: boolean
  options: SearchOptions
}

/** A file, or a match in it. */
export function ResultRow({ row, id, active, options }: RowProps) {
  if (row.kind === 'file') {
    return (
      <FileGroupRow
        id={id}
        path={row.path}
        folded={row.folded}
        active={active}
        count={row.count}
        counted={pluralNoun(row.count, 'match', 'matches')}
        onClick={() => search.toggleFolded(row.path)}
      >
        {options.replacing && <RowActions row={row} />}
      </FileGroupRow>
    )
  }
  const tooLong = options.replacing && row.replacement === undefined
  return (
    <div
      id={id}
      className="search-match ui-finding-row ui-finding-child"
      role="treeitem"
      aria-level={2}
      aria-selected={active}
      title={tooLong ? 'The line is too long to replace its matches.' : row.match.text.trim()}
      onClick={() => openMatch(row, false)}
    >
      <span className="search-line">
        <span className="visually-hidden">Line</span> {row.match.line}
      </span>{' '}
      <MatchText row={row} options={options} />
      {tooLong && <span className="ui-badge">Too long</span>}
      {row.replacement && <RowActions row={row} />}
    </div>
  )
}
