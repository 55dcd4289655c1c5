import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { memo, useMemo, useState, type CSSProperties } from 'react'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/text/visibleText.ts'
import { Button, Icon, IconButton, Spinner, VisibleCode } from '../index.ts'
import { DiffCounts } from './DiffCounts.tsx'
import { toFailure } from '../../../shared/errors.ts'
import type { DiffHunk, DiffLine } from '../../../shared/diff/hunkRows.ts'
import { parseUnifiedDiff } from '../../../shared/diff/unifiedDiff.ts'
import './diff.css'

/** Number of a file's lines shown initially. */
const initialLines = 300
/** Number of lines that the button adds. */
const linesPerStep = 1000

type FileState = FileDiff | { failure: string } | 'loading' | null

export interface DiffFile extends Pick<FileDiff, 'path' | 'change'> {
  /** Earlier path of a renamed file. */
  from?: string | undefined
  /** What happens to the file, for example "will be restored". */
  note?: string
}

interface ExcerptActions {
  onOpenFile?: (path: string, line?: number) => void
  /** Opens the full view in a tab. */
  onOpenDiff?: (file: FileDiff) => void
}

interface DiffExcerptsProps extends ExcerptActions {
  files: readonly FileDiff[]
}

/** The changes of a tool call, one excerpt for each file. */
export const DiffExcerpts = memo(function DiffExcerpts({ files, ...actions }: DiffExcerptsProps) {
  return (
    <div className="diff" data-testid="diff">
      {files.map((file) => (
        <DiffExcerpt key={`${file.path}:${file.from ?? ''}`} file={file} diff={file} {...actions} />
      ))}
    </div>
  )
})

const changeLabels = { created: 'New file', modified: '', deleted: 'Deleted', renamed: 'Moved' } as const

interface DiffExcerptProps extends ExcerptActions {
  file: DiffFile
  /** The lines, if they are known already. */
  diff?: FileDiff
  /** Loads the lines when the user expands the file. */
  load?: () => Promise<FileDiff>
}

/**
 * A file's changed lines with context: the compact view of a diff, for cards, approvals and checkpoints. Opens the full
 * diff in a tab.
 */
export function DiffExcerpt({ file, diff, load, onOpenFile, onOpenDiff }: DiffExcerptProps) {
  const [open, setOpen] = useState(diff !== undefined)
  const [loaded, setLoaded] = useState<FileState>(null)
  const shown = diff ?? (loaded !== null && typeof loaded === 'object' && 'diff' in loaded ? loaded : undefined)
  const hunks = useMemo(() => parseUnifiedDiff(shown?.diff ?? ''), [shown])
  const hidden = useMemo(() => hasHiddenCharacters(shown?.diff ?? ''), [shown])
  const { path, from, note } = file
  const changeLabel = note === undefined ? changeLabels[file.change] : ''

  async function read(): Promise<FileDiff | undefined> {
    if (shown || !load) return shown
    setLoaded('loading')
    try {
      const result = await load()
      setLoaded(result)
      return result
    } catch (error) {
      setLoaded({ failure: toFailure(error).message })
      setOpen(true)
      return undefined
    }
  }
  const toggle = () => {
    setOpen(!open)
    if (!open) void read()
  }
  return (
    <section className="diff-file" aria-label={`Changes in ${path}`}>
      <header className="diff-file-header" data-open={open}>
        <button
          type="button"
          className="diff-fold"
          aria-expanded={open}
          aria-label={`${open ? 'Collapse' : 'Expand'} ${path}`}
          onClick={toggle}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        </button>
        {onOpenFile && file.change !== 'deleted' ? (
          <button
            type="button"
            className="diff-path diff-path-link"
            title={`Open ${path}`}
            onClick={() => onOpenFile(path, hunks[0]?.newStart)}
          >
            <bdi>{visibleText(path)}</bdi>
          </button>
        ) : (
          <span className="diff-path" title={path} onClick={diff ? undefined : toggle}>
            <bdi>{visibleText(path)}</bdi>
          </span>
        )}
        {changeLabel && <span className="ui-badge">{changeLabel}</span>}
        {note !== undefined && <span className="diff-effect">{note}</span>}
        {shown && <DiffCounts added={shown.added} removed={shown.removed} />}
        {onOpenDiff && (hunks.length > 0 || !shown) && (
          <IconButton
            icon="diff"
            label="Open diff"
            onClick={() => void read().then((result) => result && onOpenDiff(result))}
          />
        )}
      </header>
      {file.change === 'renamed' && from !== undefined && (
        <div className="diff-note">{`Moved from ${visibleText(from)}`}</div>
      )}
      {hidden && (
        <div className="diff-note diff-hidden">
          <Icon name="warning" />
          Hidden characters are shown as symbols.
        </div>
      )}
      {open && <ExcerptLines state={shown ?? loaded} hunks={hunks} path={path} renamed={file.change === 'renamed'} />}
    </section>
  )
}

interface ExcerptLinesProps {
  state: FileState
  hunks: readonly DiffHunk[]
  path: string
  renamed: boolean
}

function ExcerptLines({ state, hunks, path, renamed }: ExcerptLinesProps) {
  if (hunks.length > 0) return <DiffHunks hunks={hunks} label={`Diff of ${path}`} />
  if (state === null || state === 'loading')
    return (
      <div className="diff-note">
        <Spinner label="Comparing" />
      </div>
    )
  if ('failure' in state) return <div className="diff-note">{state.failure}</div>
  return !renamed && <div className="diff-note">No text to show for this change.</div>
}

interface DiffHunksProps {
  hunks: readonly DiffHunk[]
  label: string
  /** Whether to wrap long lines instead of scrolling, for rows of a list. */
  wrap?: boolean
}

/** The lines of hunks, without a file header. */
export function DiffHunks({ hunks, label, wrap = false }: DiffHunksProps) {
  const [limit, setLimit] = useState(initialLines)
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const width = String(
    Math.max(...hunks.map((hunk) => Math.max(hunk.oldStart, hunk.newStart) + hunk.lines.length)),
  ).length
  // React's style type has no custom properties.
  const style = { '--diff-digits': width } as CSSProperties
  return (
    <>
      {/* Focusable, so that keys can scroll it. */}
      <div
        className={wrap ? 'diff-wrapped' : 'diff-scroll'}
        {...(!wrap && { tabIndex: 0 })}
        role={wrap ? 'group' : 'region'}
        aria-label={label}
        style={style}
      >
        <div className="diff-lines">
          {truncateHunks(hunks, limit).map((hunk, index) => (
            <div key={`${hunk.oldStart}:${hunk.newStart}`} className="diff-hunk">
              {(index > 0 || hunk.section !== '') && (
                <div className="diff-line diff-line-gap">
                  <span className="diff-number">⋯</span>
                  <span className="diff-number" />
                  <span className="diff-sign" />
                  <span className="diff-text">{hunk.section}</span>
                </div>
              )}
              {hunk.lines.map((line, at) => (
                // A diff's lines do not change, so the index identifies them.
                <Line key={at} line={line} />
              ))}
            </div>
          ))}
        </div>
      </div>
      {total > limit && (
        <Button variant="ghost" size="small" className="diff-more" onClick={() => setLimit(limit + linesPerStep)}>
          {`Show ${formatNumber(Math.min(linesPerStep, total - limit))} more lines (${formatNumber(total)} in total)`}
        </Button>
      )}
    </>
  )
}

/** Returns the first hunks, with at most `limit` lines in total. Truncates the last one if necessary. */
function truncateHunks(hunks: readonly DiffHunk[], limit: number): DiffHunk[] {
  const result: DiffHunk[] = []
  let remaining = limit
  for (const hunk of hunks) {
    if (remaining <= 0) break
    result.push({ ...hunk, lines: hunk.lines.slice(0, remaining) })
    remaining -= hunk.lines.length
  }
  return result
}

const signs = { context: ' ', added: '+', removed: '−', note: ' ' } as const

function Line({ line }: { line: DiffLine }) {
  const { changed } = line
  return (
    <div className={`diff-line diff-line-${line.kind}`}>
      <span className="diff-number">{line.oldNumber}</span>
      <span className="diff-number">{line.newNumber}</span>
      <span className="diff-sign">{signs[line.kind]}</span>
      <span className="diff-text">
        {changed ? (
          <>
            <VisibleCode text={line.text.slice(0, changed.start)} />
            <mark>
              <VisibleCode text={line.text.slice(changed.start, changed.end)} />
            </mark>
            <VisibleCode text={line.text.slice(changed.end)} />
          </>
        ) : (
          <VisibleCode text={line.text} />
        )}
      </span>
    </div>
  )
}
