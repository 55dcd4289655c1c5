import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { memo, useMemo, useState, type CSSProperties } from 'react'
import type { FileDiff } from '../../../shared/tool.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, IconButton, VisibleCode } from '../index.ts'
import type { DiffHunk, DiffLine } from '../../../shared/diff/hunkRows.ts'
import { parseUnifiedDiff } from '../../../shared/diff/unifiedDiff.ts'
import './diff.css'

/** Number of lines of a file shown at first. */
const initialLines = 300
/** Number of lines that the button adds. */
const linesPerStep = 1000

interface DiffViewProps {
  files: readonly FileDiff[]
  onOpenFile?: (path: string, line?: number) => void
  /** Opens the change in the editor. */
  onOpenDiff?: (file: FileDiff) => void
}

/** The diffs of a change, one section per file. */
export const DiffView = memo(function DiffView({ files, onOpenFile, onOpenDiff }: DiffViewProps) {
  return (
    <div className="diff" data-testid="diff">
      {files.map((file) => (
        <FileSection
          key={`${file.path}:${file.from ?? ''}`}
          file={file}
          onOpenFile={onOpenFile}
          onOpenDiff={onOpenDiff}
        />
      ))}
    </div>
  )
})

const changeLabels = { created: 'New file', modified: '', deleted: 'Deleted', renamed: 'Moved' } as const

function FileSection({ file, onOpenFile, onOpenDiff }: { file: FileDiff } & Omit<DiffViewProps, 'files'>) {
  const [open, setOpen] = useState(true)
  const hunks = useMemo(() => parseUnifiedDiff(file.diff), [file.diff])
  const hidden = useMemo(() => hasHiddenCharacters(file.diff), [file.diff])
  const changeLabel = changeLabels[file.change]
  const canOpen = onOpenFile !== undefined && file.change !== 'deleted'
  return (
    <section className="diff-file" aria-label={`Changes in ${file.path}`}>
      <header className="diff-file-header">
        <button
          type="button"
          className="diff-fold"
          aria-expanded={open}
          aria-label={`${open ? 'Collapse' : 'Expand'} ${file.path}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        </button>
        {canOpen ? (
          <button
            type="button"
            className="diff-path diff-path-link"
            title={`Open ${file.path}`}
            onClick={() => onOpenFile(file.path, hunks[0]?.newStart)}
          >
            <bdi>{visibleText(file.path)}</bdi>
          </button>
        ) : (
          <span className="diff-path" title={file.path}>
            <bdi>{visibleText(file.path)}</bdi>
          </span>
        )}
        {changeLabel && <span className="ui-badge">{changeLabel}</span>}
        <DiffCounts added={file.added} removed={file.removed} />
        {onOpenDiff && hunks.length > 0 && (
          <IconButton icon="diff" label="Open in editor" onClick={() => onOpenDiff(file)} />
        )}
      </header>
      {file.change === 'renamed' && file.from && <div className="diff-note">from {visibleText(file.from)}</div>}
      {hidden && (
        <div className="diff-note diff-hidden">
          <Icon name="warning" />
          Hidden characters are shown as symbols
        </div>
      )}
      {open &&
        (hunks.length > 0 ? (
          <DiffHunks hunks={hunks} label={file.path} />
        ) : (
          file.change !== 'renamed' && <div className="diff-note">No text to show for this change.</div>
        ))}
    </section>
  )
}

/** Shows counts as `+12 −3`, with a description for screen readers. */
export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts" role="img" aria-label={`${plural(added, 'line')} added, ${removed} removed`}>
      <span className="diff-count-added">+{added}</span>
      <span className="diff-count-removed">−{removed}</span>
    </span>
  )
}

/** The lines of hunks, without the header of a file. */
export function DiffHunks({ hunks, label }: { hunks: readonly DiffHunk[]; label: string }) {
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
      <div className="diff-scroll" tabIndex={0} role="region" aria-label={`Diff of ${label}`} style={style}>
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
                // The lines of a diff do not change, so the index identifies them.
                <Line key={at} line={line} />
              ))}
            </div>
          ))}
        </div>
      </div>
      {total > limit && (
        <Button variant="ghost" size="small" className="diff-more" onClick={() => setLimit(limit + linesPerStep)}>
          Show {formatNumber(Math.min(linesPerStep, total - limit))} more of {plural(total, 'line')}
        </Button>
      )}
    </>
  )
}

/** Returns the first hunks with at most `limit` lines in total. Truncates the last one if necessary. */
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
