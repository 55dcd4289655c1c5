import { visibleText } from '../../shared/text/visibleText.ts'
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { GitCommitEntry } from '../../shared/git/git.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { EmptyState, IconButton, Menu, Spinner, VirtualList, type MenuAnchor, Button } from '../ui/index.ts'
import { CommitDetails } from './CommitDetails.tsx'
import { commitMenu } from './commitMenu.ts'
import { formatAge, formatDate } from '../platform/formatAge.ts'
import type { GraphRow } from './logGraph.ts'
import {
  chooseCommit,
  followLog,
  loadCommits,
  restoreLog,
  showLog,
  useLog,
  changeFilter,
  type LogFilter,
} from './logStore.ts'
import { RefBadge } from './RefBadge.tsx'
import './log.css'
import { request } from '../platform/bridge/bridge.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { attempt } from '../platform/notices.ts'

const rowHeight = 26
const laneWidth = 12
/** Further lanes are not drawn, so that the subject stays visible. */
const maxLanes = 12

/** A repository's commits with their graph, and the chosen commit's files. */
export function LogPage() {
  const { repository, file, state, commits, problem, chosen } = useLog()
  const ready = useGit(({ repositories }) => repositories !== null)
  useEffect(followLog, [])
  useEffect(() => {
    if (ready) restoreLog()
  }, [ready])
  return (
    <section className="git-log" aria-label="Git log" data-region="git-log">
      <header className="git-log-header">
        <h2 className="git-log-title" title={file ?? repository?.folder}>
          {file === null
            ? repository
              ? `Git log: ${repository.name}`
              : 'Git log'
            : `File history: ${file.toWellFormed()}`}
        </h2>
        {file !== null && repository && (
          <IconButton icon="git-commit" label="Show full log" onClick={() => showLog(repository)} />
        )}
        <IconButton icon="refresh" label="Refresh log" onClick={() => void loadCommits()} />
      </header>
      {file === null && <LogFilters />}
      <div className="git-log-body">
        {state === 'failed' ? (
          <EmptyState icon="error" title="The log could not be loaded">
            {problem}
          </EmptyState>
        ) : commits.length === 0 ? (
          state === 'loading' || state === 'idle' ? (
            <div className="git-loading">
              <Spinner label="Loading the log" />
            </div>
          ) : (
            <EmptyState icon="git-commit" title="No commits">
              There are no commits, or no commit matches the filter.
            </EmptyState>
          )
        ) : (
          <CommitList />
        )}
        {chosen.length > 0 && <CommitDetails />}
      </div>
    </section>
  )
}

function CommitList() {
  const { commits, graph, more, chosen, repository } = useLog()
  const status = useGit(({ statuses }) => (repository ? statuses[repository.id] : undefined))
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; commit: GitCommitEntry } | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const last = chosen.at(-1)
  const activeIndex = commits.findIndex(({ hash }) => hash === last)
  const lanes = Math.min(
    maxLanes,
    graph.reduce((most, { width }) => Math.max(most, width), 0),
  )

  function onKeyDown(event: KeyboardEvent): void {
    const go = (index: number) => {
      const commit = commits[Math.max(0, Math.min(commits.length - 1, index))]
      if (commit) chooseCommit(commit.hash, { add: event.shiftKey })
    }
    const commit = commits[activeIndex]
    if (event.key === 'ArrowDown') go(activeIndex + 1)
    else if (event.key === 'ArrowUp') go(activeIndex - 1)
    else if (event.key === 'PageDown') go(activeIndex + 15)
    else if (event.key === 'PageUp') go(activeIndex - 15)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(commits.length - 1)
    else if (commit && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
      const element = document.getElementById(`commit-${commit.hash}`) ?? list.current
      if (element) setMenu({ anchor: { element }, commit })
    } else return
    event.preventDefault()
  }

  return (
    <>
      <VirtualList
        ref={list}
        className="git-commits"
        role="listbox"
        aria-label="Commits"
        aria-multiselectable
        aria-activedescendant={last && `commit-${last}`}
        tabIndex={0}
        data-autofocus
        items={commits}
        rowHeight={rowHeight}
        activeIndex={activeIndex}
        keyOf={({ hash }) => hash}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (more && scrollTop + clientHeight > scrollHeight - 40 * rowHeight) void loadCommits(true)
        }}
        renderRow={(commit, index) => (
          <CommitRow
            commit={commit}
            graph={graph[index]}
            lanes={lanes}
            chosen={chosen.includes(commit.hash)}
            onChoose={(event) => chooseCommit(commit.hash, { add: event.ctrlKey || event.metaKey || event.shiftKey })}
            onMenu={(event) => {
              event.preventDefault()
              if (!chosen.includes(commit.hash)) chooseCommit(commit.hash)
              setMenu({ anchor: { x: event.clientX, y: event.clientY }, commit })
            }}
          />
        )}
      />
      {menu && status && (
        <Menu
          groups={commitMenu(status, menu.commit)}
          anchor={menu.anchor}
          label="Commit actions"
          onClose={() => setMenu(null)}
        />
      )}
    </>
  )
}

interface CommitRowProps {
  commit: GitCommitEntry
  graph: GraphRow | undefined
  /** Number of drawn lanes. */
  lanes: number
  chosen: boolean
  onChoose: (event: MouseEvent) => void
  onMenu: (event: MouseEvent) => void
}

function CommitRow({ commit, graph, lanes, chosen, onChoose, onMenu }: CommitRowProps) {
  const { hash, subject, author, committedAt, refs } = commit
  return (
    <div
      id={`commit-${hash}`}
      role="option"
      aria-selected={chosen}
      className="git-commit-row"
      title={`${subject}\n\n${author.name}, ${formatDate(committedAt)}\n${hash}`}
      onClick={onChoose}
      onContextMenu={onMenu}
    >
      {lanes > 0 && <Graph row={graph} lanes={lanes} />}
      <span className="git-commit-subject">
        {refs.map((ref) => (
          <RefBadge key={`${ref.kind}:${ref.name}`} gitRef={ref} />
        ))}
        <bdi>{visibleText(subject)}</bdi>
      </span>
      <span className="git-commit-author">{author.name}</span>
      <span className="git-commit-age">{formatAge(committedAt)}</span>
      <span className="git-commit-hash">{hash.slice(0, 8)}</span>
    </div>
  )
}

const laneColors = ['function', 'string', 'number', 'keyword', 'tag', 'type'] as const
const colorOf = (lane: number): string => `var(--color-syntax-${laneColors[lane % laneColors.length]})`
const centerOf = (lane: number): number => lane * laneWidth + laneWidth / 2 + 2

function Graph({ row, lanes }: { row: GraphRow | undefined; lanes: number }) {
  const middle = rowHeight / 2
  const width = lanes * laneWidth + 4
  return (
    <svg className="git-graph" width={width} height={rowHeight} aria-hidden="true">
      {row?.lines.map(({ from, to, half, lane }) => {
        const [x1, x2] = [centerOf(from), centerOf(to)]
        const [y1, y2] = half === 'top' ? [0, middle] : [middle, rowHeight]
        const bend = (y1 + y2) / 2
        return (
          <path
            key={`${from} ${to} ${half}`}
            d={x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`}
            stroke={colorOf(lane)}
          />
        )
      })}
      {row && <circle cx={centerOf(row.lane)} cy={middle} r={4} fill={colorOf(row.lane)} />}
    </svg>
  )
}

/** Milliseconds without typing before the log is loaded again. */
const typingDelayMs = 250

const fields = [
  ['text', 'Message or hash'],
  ['author', 'Author'],
  ['path', 'File or folder'],
] as const satisfies readonly (readonly [keyof LogFilter, string])[]

/** Search fields of the log, and the branch filter. */
function LogFilters() {
  const repository = useLog((state) => state.repository?.id)
  const filter = useLog((state) => state.filter)
  async function chooseRef(): Promise<void> {
    if (repository === undefined) return
    const { local, remote, tags } = await request('git.references', { repository })
    const choice = await quickPick({
      title: 'Commits to show',
      items: [
        { id: 'all', label: 'All branches and tags', icon: 'git-branch', current: filter.all && filter.ref === null },
        { id: 'head', label: 'Current branch', icon: 'git-commit', current: !filter.all && filter.ref === null },
        ...local.map(({ name }) => ({
          id: `ref:${name}`,
          label: name,
          icon: 'git-branch',
          current: filter.ref === name,
        })),
        ...remote.map(({ name }) => ({ id: `ref:${name}`, label: name, icon: 'cloud', current: filter.ref === name })),
        ...tags.map(({ name }) => ({ id: `ref:${name}`, label: name, icon: 'tag', current: filter.ref === name })),
      ],
    })
    if (choice) changeFilter({ all: choice.id === 'all', ref: choice.id.startsWith('ref:') ? choice.label : null })
  }
  return (
    <div className="git-log-filters" role="search" aria-label="Filter commits">
      <Button size="small" icon="git-branch" onClick={() => attempt(chooseRef)}>
        <span className="git-row-grow">{filter.ref ?? (filter.all ? 'All branches' : 'Current branch')}</span>
      </Button>
      {fields.map(([field, label]) => (
        <FilterField key={field} field={field} label={label} />
      ))}
    </div>
  )
}

function FilterField({ field, label }: { field: 'text' | 'author' | 'path'; label: string }) {
  const value = useLog((state) => state.filter[field])
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => changeFilter({ [field]: typed }), typingDelayMs)
    return () => clearTimeout(timer)
  }, [field, typed, value])
  return (
    <input
      className="ui-input"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
