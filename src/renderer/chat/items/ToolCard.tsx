import { suspicionTexts } from '../../../shared/text/addressedText.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { memo, useEffect, useRef, useState } from 'react'
import { calledTool } from '../../../shared/tools/callArguments.ts'
import type { ToolCallState, ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolView } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { DiffCounts } from '../../ui/diff/DiffCounts.tsx'
import { isRunning, jobStateText, jobTone, useJobs } from '../../platform/jobs/jobsStore.ts'
import { Button, Icon, Spinner } from '../../ui/index.ts'
import { stopCall } from '../chatActions.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { ErrorBoundary } from '../../platform/ErrorBoundary.tsx'
import { LinkedCode } from '../../platform/textLinks/LinkedCode.tsx'
import { lazyView } from '../../platform/layout/lazyView.tsx'
import { formatDuration } from '../../../shared/text/formatDuration.ts'
import { outcomeText, summarizeCall } from '../../platform/toolCalls/toolSummary.ts'
import { useTools } from '../../platform/conversation/toolsStore.ts'
import { undoEdit } from '../../platform/conversation/toolCallActions.ts'

/** Loads with the first card that is expanded. */
export const ToolDetails = lazyView(
  async () => (await import('../../platform/toolCalls/ToolDetails.tsx')).ToolDetails,
  null,
)

/** Tools that run a sub-agent, which the user can stop without stopping the turn. */
const subAgentTools: ReadonlySet<string> = new Set(['task', 'codebase_investigator'])

const stateLabels: Readonly<Record<ToolCallState, string>> = {
  streaming: 'Preparing',
  approval: 'Waiting for approval',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  refused: 'Refused',
  cancelled: 'Cancelled',
}

/** A tool call: one line with its summary and state, which expands to details. */
export const ToolCard = memo(function ToolCard({ item }: { item: ToolItem }) {
  const { name } = calledTool(item)
  const info = useTools((state) => state.byName.get(name))
  const job = useJob(item)
  const summary = summarizeCall(item, info)
  const view = item.result?.view
  const [chosen, setChosen] = useState<boolean | null>(null)
  // Keep the output of a running command open after the command ends.
  const watched = useRef(false)
  if (job && isRunning(job)) watched.current = true
  const open = chosen ?? (watched.current || opensByDefault(item))
  const shownError = item.state === 'failed' || item.state === 'refused' ? item.result?.error : undefined
  return (
    <article
      className={`tool-card tool-card-${item.state}`}
      aria-label={`${summary.title} ${summary.argument}`.trim()}
      data-testid="tool-card"
      data-tool={item.name}
      data-state={item.state}
    >
      <div className="tool-card-row">
        <button type="button" className="tool-card-toggle" aria-expanded={open} onClick={() => setChosen(!open)}>
          <Icon name={summary.icon} className="tool-card-icon" />
          <span className="tool-card-title">{summary.title}</span>
          <span className="tool-card-argument" title={summary.argument}>
            <bdi>{visibleText(summary.argument)}</bdi>
          </span>
        </button>
        <Outcome item={item} job={job} />
        {view?.kind === 'diff' && view.editId && <UndoButton editId={view.editId} undone={item.undone} />}
        {item.state === 'running' && subAgentTools.has(name) && (
          <Button size="small" variant="ghost" icon="debug-stop" onClick={() => stopCall(item.id)}>
            Stop
          </Button>
        )}
        <StateSign item={item} job={job} />
      </div>
      {shownError && (
        <div className="tool-card-error">
          <span>
            <LinkedCode text={shownError.message} />
          </span>
          {/* After a refusal, `next` is addressed to the model. */}
          {shownError.next && item.state !== 'refused' && <span className="tool-card-next">{shownError.next}</span>}
        </div>
      )}
      {item.result?.suspicions?.map((suspicion) => (
        <div key={suspicion} className="tool-card-warning">
          <Icon name="warning" />
          {suspicionTexts[suspicion]} The model was warned.
        </div>
      ))}
      {item.state !== 'refused' &&
        item.result?.hooks?.map((text) => (
          <div key={text} className="tool-card-warning" data-testid="hook-note">
            <Icon name="zap" />
            {visibleText(text)}
          </div>
        ))}
      {item.warning !== undefined && (
        <div className="tool-card-warning" title={item.warning}>
          <Icon name="sync" />
          Same call with the same result as before. The model was warned.
        </div>
      )}
      {item.reviewNote !== undefined && (
        <div className="tool-card-warning" title={item.reviewNote}>
          <Icon name="discard" />
          The model was informed that you undid changes.
        </div>
      )}
      {open && (
        <ErrorBoundary name="Tool call" line="The details of this call cannot be shown.">
          <ToolDetails
            callId={item.id}
            calledName={item.name}
            argumentsText={item.arguments}
            result={item.result}
            job={job}
            errorShown={shownError !== undefined || item.state === 'cancelled'}
          />
        </ErrorBoundary>
      )}
    </article>
  )
})

/** State of the job that the call started; undefined if it started none. */
function useJob(item: ToolItem): JobInfo | undefined {
  const progress = useChat((state) => state.progress[item.id])
  const known =
    item.job ??
    (item.result?.view.kind === 'command' ? item.result.view.job : undefined) ??
    (progress?.kind === 'job' ? progress.job : undefined)
  const current = useJobs((state) => (known ? state.jobs[known.id] : undefined))
  return current ?? known
}

/** Whether the card starts expanded. Completed edits show their diff. */
function opensByDefault(item: ToolItem): boolean {
  const view: ToolView | undefined = item.result?.view
  return view?.kind === 'diff' && item.state === 'done'
}

function Outcome({ item, job }: { item: ToolItem; job: JobInfo | undefined }) {
  const view = item.result?.view
  if (job && !(isRunning(job) && item.state === 'running')) {
    const word = jobStateText(job)
    // StateSign already shows this text.
    if (word === item.state) return null
    return <span className={`tool-card-outcome job-tone-${jobTone(job)}`}>{word}</span>
  }
  // Calls made by a sub-agent that failed or was stopped.
  if (!view || (!item.result?.ok && view.kind !== 'calls')) return null
  if (view.kind === 'diff') {
    const added = view.files.reduce((sum, file) => sum + file.added, 0)
    const removed = view.files.reduce((sum, file) => sum + file.removed, 0)
    return <DiffCounts added={added} removed={removed} />
  }
  const text = outcomeText(view)
  return text === undefined ? null : <span className="tool-card-outcome">{text}</span>
}

function StateSign({ item, job }: { item: ToolItem; job: JobInfo | undefined }) {
  const word = stateLabels[item.state]
  switch (item.state) {
    case 'streaming':
      return (
        <span className="tool-card-state">
          <Spinner label={word} />
        </span>
      )
    case 'running':
      return (
        <span className="tool-card-state">
          <Elapsed since={item.at} />
          <Spinner label={word} />
        </span>
      )
    case 'approval':
      return (
        <span className="tool-card-state tool-card-state-approval">
          <Icon name="bell-dot" />
          {word}
        </span>
      )
    case 'done':
      return (
        <span className="tool-card-state">
          {/* A row with a diff needs the space for its path. */}
          {item.result && item.result.view.kind !== 'diff' && (
            <span className="tool-card-time">{formatDuration(item.result.elapsedMs)}</span>
          )}
          {/* A failed command shows its outcome instead of the check mark. */}
          {(job === undefined || jobTone(job) === 'success') && (
            <Icon name="check" label={word} className="tool-card-check" />
          )}
        </span>
      )
    default:
      return (
        <span className={`tool-card-state tool-card-state-${item.state}`}>
          <Icon name={item.state === 'failed' ? 'error' : 'circle-slash'} />
          {word}
        </span>
      )
  }
}

/** Elapsed time of a running call. Hidden for the first two seconds. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const elapsed = now - since
  return elapsed < 2000 ? null : (
    <span className="tool-card-time">{formatDuration(Math.floor(elapsed / 1000) * 1000)}</span>
  )
}

/** Undoes an edit and shows the outcome. */
function UndoButton({ editId, undone = false }: { editId: string; undone?: boolean }) {
  const undo = useChat((state) => state.undo[editId])
  if (undone || undo?.kind === 'undone') {
    return (
      <span className="tool-card-undone" role="status">
        <Icon name="discard" />
        Undone
      </span>
    )
  }
  return (
    <>
      {undo?.kind === 'failed' && (
        <span className="tool-card-undo-failed" role="alert" title={undo.message}>
          <Icon name="warning" />
          Undo failed
        </span>
      )}
      <Button
        size="small"
        variant="ghost"
        icon={undo?.kind === 'working' ? undefined : 'discard'}
        disabled={undo?.kind === 'working'}
        onClick={() => void undoEdit(editId)}
      >
        {undo?.kind === 'working' && <Spinner label="Undoing" />}
        Undo
      </Button>
    </>
  )
}
