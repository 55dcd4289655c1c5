import { useState, type KeyboardEvent } from 'react'
import { gitChangeLetters, type GitCommitFile } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { changeColor, changeKindLabels } from '../platform/git/decorations.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { FileIcon } from '../ui/FileIcon.tsx'
import { IconButton, Spinner, VirtualList } from '../ui/index.ts'
import { displayName } from './changeRows.ts'
import { attemptGit } from './failures.ts'
import { formatDate } from '../platform/formatAge.ts'
import { RefBadge } from './RefBadge.tsx'
import { useLog } from './logStore.ts'
import { openComparison } from './openChange.ts'

/** Details of the chosen commit, or the comparison of two. Their files open as diffs. */
export function CommitDetails() {
  const { details, comparison, chosen, commits } = useLog()
  const subjectOf = (commit: string) => commits.find(({ hash }) => hash === commit)?.subject
  const close = () => useLog.setState({ chosen: [], details: null, comparison: null })
  const files = details?.files ?? comparison?.files
  return (
    <section className="git-details" aria-label={chosen.length > 1 ? 'Comparison' : 'Commit'}>
      <IconButton icon="close" label="Close details" className="git-details-close" onClick={close} />
      {details && (
        <div className="git-details-text" tabIndex={0}>
          <p className="git-details-message" dir="auto">
            {details.message.trim()}
          </p>
          <p className="git-details-meta">
            {details.refs.map((ref) => (
              <RefBadge key={`${ref.kind}:${ref.name}`} gitRef={ref} />
            ))}
            <span>{`${details.author.name} <${details.author.email}>`}</span>
            <span>{formatDate(details.authoredAt)}</span>
            <code>{details.hash}</code>
          </p>
        </div>
      )}
      {comparison && (
        <div className="git-details-text">
          <p className="git-details-meta">
            From: <code>{comparison.from.slice(0, 8)}</code> {subjectOf(comparison.from)}
          </p>
          <p className="git-details-meta">
            To: <code>{comparison.to.slice(0, 8)}</code> {subjectOf(comparison.to)}
          </p>
        </div>
      )}
      {files === undefined ? (
        <div className="git-loading">
          <Spinner label="Loading the commit" />
        </div>
      ) : (
        <>
          <p className="git-details-count">
            {details?.truncated || comparison?.truncated
              ? `The first ${plural(files.length, 'file')} are listed.`
              : plural(files.length, 'file')}
          </p>
          <FileList files={files} />
        </>
      )}
    </section>
  )
}

function FileList({ files }: { files: readonly GitCommitFile[] }) {
  const [active, setActive] = useState(0)
  const { repository, details, comparison } = useLog()
  const open = (file: GitCommitFile) => {
    if (!repository) return
    const to = comparison?.to ?? details?.hash
    if (to === undefined) return
    // A first commit has no parent to compare with.
    const from = comparison?.from ?? details?.parents[0]
    attemptGit(
      () =>
        openComparison({
          repository,
          path: file.path,
          originalPath: file.from ?? file.path,
          original: from === undefined ? null : { commit: from },
          modified: { commit: to },
        }),
      `${displayName(file.path).name} could not be opened`,
    )
  }
  function onKeyDown(event: KeyboardEvent): void {
    const file = files[active]
    if (event.key === 'ArrowDown') setActive(Math.min(files.length - 1, active + 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(0, active - 1))
    else if (event.key === 'Home') setActive(0)
    else if (event.key === 'End') setActive(files.length - 1)
    else if (file && event.key === 'Enter') open(file)
    else return
    event.preventDefault()
  }
  return (
    <VirtualList
      className="git-changes"
      role="listbox"
      aria-label="Changed files"
      aria-activedescendant={`git-commit-file-${active}`}
      tabIndex={0}
      items={files}
      rowHeight={24}
      activeIndex={active}
      keyOf={({ path }) => path}
      onKeyDown={onKeyDown}
      renderRow={(file, index) => (
        <div
          id={`git-commit-file-${index}`}
          role="option"
          aria-selected={index === active}
          title={file.path.toWellFormed()}
          className="git-row git-commit-file"
          data-active={index === active}
          onClick={() => {
            setActive(index)
            open(file)
          }}
        >
          <FileContent file={file} />
        </div>
      )}
    />
  )
}

function FileContent({ file: { path, kind, added, removed } }: { file: GitCommitFile }) {
  const { name, folder } = displayName(path)
  return (
    <>
      <FileIcon path={path} />
      <span className="git-name" data-deleted={kind === 'deleted'}>
        {name}
      </span>{' '}
      <span className="git-folder">{folder}</span>
      <span className="visually-hidden">{changeKindLabels[kind]}</span>{' '}
      {added !== null && removed !== null && <DiffCounts added={added} removed={removed} />}
      <span className="git-letter" style={{ color: changeColor(kind) }} data-letter={gitChangeLetters[kind]} />
    </>
  )
}
