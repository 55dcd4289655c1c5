import { useState } from 'react'
import { protectedChangesText } from '../../../shared/commands/sandbox.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { request } from '../bridge/bridge.ts'
import { isRunning, jobStateText, jobTone, selectJob } from '../jobs/jobsStore.ts'
import { showPanel } from '../layout/layoutStore.ts'
import { attempt } from '../notices.ts'
import { Button, CommandText, Icon, IconButton } from '../../ui/index.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { JobTerminal } from '../jobs/JobTerminal.tsx'
import { CollapsibleText } from './CollapsibleText.tsx'
import { SandboxLine } from './SandboxLine.tsx'
import '../jobs/jobs.css'

/** A command with its live output and state. */
export function CommandView({ job, result }: { job: JobInfo; result?: ToolResult }) {
  const [unavailable, setUnavailable] = useState(false)
  const running = isRunning(job)
  return (
    <div className="command-view">
      <div className="command-line">
        <span className="command-prompt" aria-hidden="true">
          $
        </span>
        <code className="command-text">
          <CommandText text={visibleText(job.command)} />
        </code>
        <IconButton
          icon="link-external"
          label="Show in the terminal panel"
          onClick={() => {
            selectJob(job.id)
            showPanel('jobs')
          }}
        />
        {running && (
          <Button
            size="small"
            icon="debug-stop"
            onClick={() => attempt(() => request('jobs.stop', { id: job.id }), 'The command could not be stopped')}
          >
            Stop
          </Button>
        )}
      </div>
      {job.state === 'waiting_for_input' && (
        <div className="command-waiting" role="status">
          <Icon name="keyboard" />
          Waiting for input. Click the output below and type.
        </div>
      )}
      {job.denial && (
        <div className="command-denial" role="status">
          <Icon name="lock" />
          <span>{visibleText(job.denial.message)}</span>
        </div>
      )}
      {job.protectedChanges && (
        <div className="command-denial" role="status">
          <Icon name="warning" />
          <span>{visibleText(protectedChangesText(job.protectedChanges))}</span>
        </div>
      )}
      {unavailable && result ? (
        <CollapsibleText text={result.text} label="Output" />
      ) : (
        <JobTerminal jobId={job.id} label={`Output of ${job.command}`} onUnavailable={() => setUnavailable(true)} />
      )}
      <div className="command-state">
        <span className={`job-tone-${jobTone(job)}`}>{jobStateText(job)}</span>
        <span>{job.cwd === '.' ? 'Workspace folder' : `Folder: ${job.cwd}`}</span>
        {job.sandbox && <SandboxLine sandbox={job.sandbox} />}
        {result?.allowedBecause !== undefined && (
          <span className="command-allowed" data-testid="command-allowed">
            <Icon name="pass" />
            {visibleText(result.allowedBecause)}
          </span>
        )}
      </div>
    </div>
  )
}
