import { useEffect, useState } from 'react'
import type { JobInfo } from '../../shared/tool.ts'
import { visibleText } from '../../shared/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { formatDuration } from '../../shared/formatDuration.ts'
import { shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon, IconButton, Select } from '../ui/index.ts'
import { XtermJobTerminal } from './XtermJobTerminal.tsx'
import '../platform/jobs/jobs.css'
import { openTerminal } from './terminalCommands.ts'
import { isRunning, jobNames, jobStateText, jobTone, selectJob, useJobs } from '../platform/jobs/jobsStore.ts'
import './terminal.css'

/** List of commands and terminals, with the output of the selected one. */
export function JobsPanel() {
  const jobs = useJobs((state) => state.jobs)
  const chosen = useJobs((state) => state.selected)
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
  return (
    <div className="jobs">
      <div className="jobs-main">
        <div className="jobs-choice">
          <Select
            label="Job"
            hideLabel
            value={selected.id}
            options={list.map((job) => ({ value: job.id, label: `${names.get(job.id) ?? ''} · ${jobStateText(job)}` }))}
            onChange={(event) => selectJob(event.target.value)}
          />
          <IconButton icon="add" label="New terminal" shortcut={shortcutOf('terminal.new')} onClick={start} />
        </div>
        <JobBar job={selected} name={names.get(selected.id) ?? ''} />
        {selected.state === 'waiting_for_input' && (
          <div className="command-waiting" role="status">
            <Icon name="keyboard" />
            Waiting for input. Click the output and type.
          </div>
        )}
        <XtermJobTerminal key={selected.id} jobId={selected.id} label={`Terminal: ${selected.command}`} fill />
      </div>
      <nav className="jobs-list" aria-label="Jobs">
        <div className="jobs-list-header">
          <span>Jobs</span>
          <IconButton icon="add" label="New terminal" shortcut={shortcutOf('terminal.new')} onClick={start} />
        </div>
        <ul>
          {list.map((job) => (
            <JobRow key={job.id} job={job} name={names.get(job.id) ?? ''} selected={job.id === selected.id} />
          ))}
        </ul>
      </nav>
    </div>
  )
}

const toneIcons = {
  running: 'loading',
  waiting: 'keyboard',
  success: 'pass',
  failure: 'error',
  ended: 'circle-slash',
} as const

function JobRow({ job, name, selected }: { job: JobInfo; name: string; selected: boolean }) {
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
      >
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

function JobBar({ job, name }: { job: JobInfo; name: string }) {
  return (
    <div className="jobs-bar">
      <Icon name={job.kind === 'terminal' ? 'terminal' : 'play'} />
      <code className="jobs-bar-command" title={visibleText(job.command)}>
        {name}
      </code>
      <span className="jobs-bar-cwd">{job.cwd === '.' ? '' : job.cwd}</span>
      <span className={`job-tone-${jobTone(job)}`}>{jobStateText(job)}</span>
      {(job.kind === 'command' || !isRunning(job)) && <Duration job={job} />}
      {isRunning(job) && (
        <Button
          size="small"
          icon="debug-stop"
          onClick={() => attempt(() => request('jobs.stop', { id: job.id }), 'The job could not be stopped')}
        >
          Stop
        </Button>
      )}
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
