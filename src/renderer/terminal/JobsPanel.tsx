import { Fragment, useEffect, useState } from 'react'
import { Group as PanelGroup, Panel, Separator } from 'react-resizable-panels'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { formatDuration } from '../../shared/text/formatDuration.ts'
import { runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import {
  Button,
  EmptyState,
  Icon,
  IconButton,
  Menu,
  Select,
  type MenuAnchor,
  type MenuGroup,
  type MenuItem,
} from '../ui/index.ts'
import { XtermJobTerminal } from './XtermJobTerminal.tsx'
import '../platform/jobs/jobs.css'
import { openTerminal } from './terminalCommands.ts'
import { isRunning, jobNames, jobStateText, jobTone, selectJob, useJobs } from '../platform/jobs/jobsStore.ts'
import { groupOf, withoutUnknown, type Splits } from './splits.ts'
import { TerminalFind } from './TerminalFind.tsx'
import './terminal.css'
import { formatKeys, isMac } from '../platform/keymap/keyNotation.ts'
import { copySelection } from './terminalKeys.ts'
import { terminalView } from './terminalViews.ts'

/** List of commands and terminals, with the output of the selected one. */
export function JobsPanel() {
  const jobs = useJobs((state) => state.jobs)
  const chosen = useJobs((state) => state.selected)
  const splits = useLayout((state) => state.terminals.splits)
  // Jobs are stored oldest first.
  const list = Object.values(jobs).toReversed()
  const selected = (chosen === null ? undefined : jobs[chosen]) ?? list[0]
  const start = () => attempt(() => openTerminal(), 'The terminal could not be opened')

  if (!selected) {
    return (
      <div className="jobs">
        <EmptyState
          icon="terminal"
          title="No jobs"
          actions={
            <Button icon="add" data-autofocus onClick={start}>
              New terminal
            </Button>
          }
        >
          Commands that the model runs appear here with their output. You can also open a terminal.
        </EmptyState>
      </div>
    )
  }
  const names = jobNames(Object.values(jobs))
  const nameOf = (job: JobInfo) => names.get(job.id) ?? ''
  const known = withoutUnknown(splits, (id) => id in jobs)
  const shown = groupOf(known, selected.id).flatMap((id) => jobs[id] ?? [])
  return (
    <div className="jobs">
      <div className="jobs-main">
        <div className="jobs-choice">
          <Select
            label="Job"
            hideLabel
            value={selected.id}
            options={list.map((job) => ({ value: job.id, label: `${nameOf(job)} · ${jobStateText(job)}` }))}
            onChange={(event) => selectJob(event.target.value)}
          />
          <IconButton icon="add" label="New terminal" shortcut={shortcutOf('terminal.new')} onClick={start} />
        </div>
        <PanelGroup key={shown[0]?.id} orientation="horizontal" className="jobs-split">
          {shown.map((job, index) => (
            <Fragment key={job.id}>
              {index > 0 && <Separator className="workbench-separator" aria-label="Resize terminals" />}
              <Panel id={job.id} minSize={120}>
                <JobPane job={job} name={nameOf(job)} split={shown.length > 1} selected={job.id === selected.id} />
              </Panel>
            </Fragment>
          ))}
        </PanelGroup>
      </div>
      <nav className="jobs-list" aria-label="Jobs">
        <div className="jobs-list-header">
          <span>Jobs</span>
          <IconButton icon="add" label="New terminal" shortcut={shortcutOf('terminal.new')} onClick={start} />
        </div>
        <ul>
          {inGroups(list, known).map((job) => (
            <JobRow
              key={job.id}
              job={job}
              name={nameOf(job)}
              selected={job.id === selected.id}
              place={placeInGroup(known, job.id)}
            />
          ))}
        </ul>
      </nav>
    </div>
  )
}

/** Sorts jobs so that those of a group are adjacent, at the position of the group's first job. */
function inGroups(list: readonly JobInfo[], splits: Splits): JobInfo[] {
  const byId = new Map(list.map((job) => [job.id, job]))
  const ids = new Set(list.flatMap(({ id }) => groupOf(splits, id)))
  return [...ids].flatMap((id) => byId.get(id) ?? [])
}

type GroupPlace = 'alone' | 'first' | 'middle' | 'last'

function placeInGroup(splits: Splits, id: string): GroupPlace {
  const group = groupOf(splits, id)
  if (group.length === 1) return 'alone'
  return group[0] === id ? 'first' : group.at(-1) === id ? 'last' : 'middle'
}

interface JobPaneProps {
  job: JobInfo
  name: string
  /** Whether the group has several jobs. */
  split: boolean
  /** Whether commands act on this job. */
  selected: boolean
}

/** A job's terminal with its bar and menu. */
function JobPane({ job, name, split, selected }: JobPaneProps) {
  const [menu, setMenu] = useState<MenuAnchor | null>(null)
  return (
    <section
      className={`jobs-pane ${split && selected ? 'jobs-pane-active' : ''}`}
      aria-label={name}
      onFocus={() => {
        if (useJobs.getState().selected !== job.id) selectJob(job.id)
      }}
      onContextMenu={(event) => {
        if (event.target instanceof Element && !event.target.closest('.job-terminal')) return
        event.preventDefault()
        selectJob(job.id)
        setMenu({ x: event.clientX, y: event.clientY })
      }}
    >
      <JobBar job={job} name={name} compact={split} />
      {job.state === 'waiting_for_input' && (
        <div className="command-waiting" role="status">
          <Icon name="keyboard" />
          Waiting for input. Click the output and type.
        </div>
      )}
      <div className="jobs-terminal">
        <TerminalFind jobId={job.id} />
        <XtermJobTerminal jobId={job.id} label={`Terminal: ${name}`} fill />
      </div>
      {menu && (
        <Menu groups={terminalMenu(job)} anchor={menu} label={`Actions for ${name}`} onClose={() => setMenu(null)} />
      )}
    </section>
  )
}

const toneIcons = {
  running: 'loading',
  waiting: 'keyboard',
  success: 'pass',
  failure: 'error',
  ended: 'circle-slash',
} as const

interface JobRowProps {
  job: JobInfo
  name: string
  selected: boolean
  place: GroupPlace
}

const groupLines = { alone: '', first: '┌', middle: '├', last: '└' } as const

function JobRow({ job, name, selected, place }: JobRowProps) {
  const tone = jobTone(job)
  return (
    <li className={`jobs-row ${selected ? 'jobs-row-selected' : ''}`} data-testid="job" data-state={job.state}>
      <button
        type="button"
        className="jobs-open"
        aria-current={selected}
        data-autofocus={selected || undefined}
        title={visibleText(job.command)}
        onClick={() => selectJob(job.id)}
        onKeyDown={(event) => {
          if (event.key !== 'F2') return
          event.preventDefault()
          selectJob(job.id)
          runCommand('terminal.rename')
        }}
      >
        {place !== 'alone' && (
          <span className="jobs-group-line" aria-hidden>
            {groupLines[place]}
          </span>
        )}
        <Icon
          name={job.kind === 'terminal' && isRunning(job) ? 'terminal' : toneIcons[tone]}
          spin={tone === 'running' && job.kind === 'command'}
          className={`job-tone-${tone}`}
        />
        <span className="jobs-command">{name}</span>
        <span className="jobs-state">{job.kind === 'terminal' && isRunning(job) ? 'terminal' : jobStateText(job)}</span>
      </button>
      {isRunning(job) ? (
        <span className="jobs-forget-space" />
      ) : (
        <IconButton
          icon="close"
          className="jobs-forget"
          label={`Remove ${job.command} from the list`}
          onClick={() => attempt(() => request('jobs.forget', { id: job.id }), 'The job could not be removed')}
        />
      )}
    </li>
  )
}

function JobBar({ job, name, compact }: { job: JobInfo; name: string; compact: boolean }) {
  const stop = () => attempt(() => request('jobs.stop', { id: job.id }), 'The job could not be stopped')
  return (
    <div className="jobs-bar">
      <Icon name={job.kind === 'terminal' ? 'terminal' : 'play'} />
      <code className="jobs-bar-command" title={visibleText(job.command)}>
        {name}
      </code>
      <span className="jobs-bar-cwd">{job.cwd === '.' ? '' : job.cwd}</span>
      {!(compact && isRunning(job)) && <span className={`job-tone-${jobTone(job)}`}>{jobStateText(job)}</span>}
      {(job.kind === 'command' || !isRunning(job)) && <Duration job={job} />}
      {job.kind === 'terminal' && isRunning(job) && (
        <IconButton
          icon="split-horizontal"
          label="Split terminal"
          shortcut={shortcutOf('terminal.split')}
          onClick={() => {
            selectJob(job.id)
            runCommand('terminal.split')
          }}
        />
      )}
      {isRunning(job) &&
        (compact ? (
          <IconButton icon="debug-stop" label="Stop" onClick={stop} />
        ) : (
          <Button size="small" icon="debug-stop" onClick={stop}>
            Stop
          </Button>
        ))}
    </div>
  )
}

function Duration({ job }: { job: JobInfo }) {
  const [now, setNow] = useState(() => Date.now())
  const running = isRunning(job)
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [running])
  const milliseconds = (job.endedAt ?? Math.max(now, job.startedAt)) - job.startedAt
  return (
    <span className="jobs-duration">
      {formatDuration(running ? Math.floor(milliseconds / 1000) * 1000 : milliseconds)}
    </span>
  )
}

function commandItem(id: CommandId, label: string, more: Partial<MenuItem> = {}): MenuItem {
  return { id, label, shortcut: shortcutOf(id), run: () => void runCommand(id), ...more }
}

function terminalMenu(job: JobInfo): MenuGroup[] {
  const view = terminalView(job.id)
  const selection = view?.selection() ?? ''
  return [
    {
      items: [
        {
          id: 'copy',
          label: 'Copy',
          icon: 'copy',
          shortcut: isMac ? formatKeys('Cmd+C') : 'Ctrl+Shift+C',
          disabled: selection === '',
          run: () => copySelection(selection),
        },
        { id: 'selectAll', label: 'Select all', run: () => view?.selectAll() },
        { id: 'clear', label: 'Clear', icon: 'clear-all', run: () => view?.clear() },
        commandItem('terminal.find', 'Find…', { icon: 'search', shortcut: formatKeys(isMac ? 'Cmd+F' : 'Ctrl+F') }),
      ],
    },
    {
      items: [
        commandItem('terminal.addSelectionToChat', 'Add selection to chat', {
          icon: 'comment-discussion',
          shortcut: formatKeys(isMac ? 'Cmd+L' : 'Ctrl+L'),
          disabled: selection === '',
        }),
        commandItem('terminal.addOutputToChat', 'Add last output to chat'),
      ],
    },
    {
      items: [
        commandItem('terminal.split', 'Split', { icon: 'split-horizontal' }),
        commandItem('terminal.rename', 'Rename…', { icon: 'edit' }),
      ],
    },
  ]
}
