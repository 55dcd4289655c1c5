import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { memo, useMemo, useState, type CSSProperties } from 'react'
import type { FileDiff } from '../../../shared/tool.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, IconButton, VisibleCode } from '../index.ts'
import { parseUnifiedDiff, type DiffHunk, type DiffLine } from './unifiedDiff.ts'
import './diff.css'

/** Maximum lines of a file that are shown at first. */
const firstLines = 300
const moreLines = 1000

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

const changeWords = { created: 'New file', modified: '', deleted: 'Deleted', renamed: 'Moved' } as const

function FileSection({ file, onOpenFile, onOpenDiff }: { file: FileDiff } & Omit<DiffViewProps, 'files'>) {
  const [open, setOpen] = useState(true)
  const hunks = useMemo(() => parseUnifiedDiff(file.diff), [file.diff])
  const hidden = useMemo(() => hasHiddenCharacters(file.diff), [file.diff])
  const word = changeWords[file.change]
  const canOpen = onOpenFile !== undefined && file.change !== 'deleted'
  return (
    <section className="diff-file" aria-label={`Changes in ${file.path}`}>
      <header className="diff-file-header">
        <button
          type="button"
          className="diff-fold"
          aria-expanded={open}
          aria-label={`${open ? 'Fold' : 'Unfold'} ${file.path}`}
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
        {word && <span className="ui-badge">{word}</span>}
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
          <Hunks hunks={hunks} label={file.path} />
        ) : (
          file.change !== 'renamed' && <div className="diff-note">No text to show for this change.</div>
        ))}
    </section>
  )
}

/** `+12 −3` in colours, with words for screen readers. */
export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts" role="img" aria-label={`${plural(added, 'line')} added, ${removed} removed`}>
      <span className="diff-count-added">+{added}</span>
      <span className="diff-count-removed">−{removed}</span>
    </span>
  )
}

function Hunks({ hunks, label }: { hunks: readonly DiffHunk[]; label: string }) {
  const [limit, setLimit] = useState(firstLines)
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const width = String(
    Math.max(...hunks.map((hunk) => Math.max(hunk.oldStart, hunk.newStart) + hunk.lines.length)),
  ).length
  // React's style type has no custom properties.
  const style = { '--diff-digits': width } as CSSProperties
  return (
    <>
      {/* A scrolling region has to be reachable by keyboard. */}
      <div className="diff-scroll" tabIndex={0} role="region" aria-label={`Diff of ${label}`} style={style}>
        <div className="diff-lines">
          {firstHunks(hunks, limit).map((hunk, index) => (
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
                // A diff never changes once it is drawn, so its position is a line's identity.
                <Line key={at} line={line} />
              ))}
            </div>
          ))}
        </div>
      </div>
      {total > limit && (
        <Button variant="ghost" size="small" className="diff-more" onClick={() => setLimit(limit + moreLines)}>
          Show {formatNumber(Math.min(moreLines, total - limit))} more of {plural(total, 'line')}
        </Button>
      )}
    </>
  )
}

/** The first hunks with at most `limit` lines. Truncates the last one. */
function firstHunks(hunks: readonly DiffHunk[], limit: number): DiffHunk[] {
  const first: DiffHunk[] = []
  let left = limit
  for (const hunk of hunks) {
    if (left <= 0) break
    first.push({ ...hunk, lines: hunk.lines.slice(0, left) })
    left -= hunk.lines.length
  }
  return first
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
